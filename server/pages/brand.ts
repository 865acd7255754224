// The brand's mark, drawn into each page: a picture beside the page would cost a request more.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { raw } from 'hono/html'
import type { Html } from './html.ts'

const ICON = readFileSync(join(import.meta.dirname, 'static/icon.svg'), 'utf8')

/** The icon without what only a file of its own needs; its name stands beside it. */
export const MARK: Html = raw(
  ICON.replace(/<title>.*?<\/title>|<!--.*?-->/gs, '')
    .replace(/ xmlns="[^"]*"/, ' width="30" height="30" aria-hidden="true"')
    .replaceAll(/\s*\n\s*/g, ''),
)
