// The icon of the service: as a file, and as the logo that is inlined into each page to save a request.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashedFile } from '../../http/static.ts'
import { type Html, raw } from '../parts/html.ts'

const ICON = readFileSync(join(import.meta.dirname, '../static/icon.svg'), 'utf8')

export const ICON_FILE = hashedFile('icon.svg', ICON)

/** The icon on a square ground, as podcast directories require it: at least 1400 pixels wide. */
export const COVER_FILE = hashedFile(
  'podcast.png',
  readFileSync(join(import.meta.dirname, '../static/podcast.png')),
)

/** The icon without its title (the name is next to it), comments and namespace, which only a standalone file needs. */
export const MARK: Html = raw(
  ICON.replace(/<title>.*?<\/title>|<!--.*?-->/gs, '')
    .replace(/ xmlns="[^"]*"/, ' width="30" height="30" aria-hidden="true"')
    .replaceAll(/\s*\n\s*/g, ''),
)
