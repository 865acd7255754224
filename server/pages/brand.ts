// The brand's mark, drawn into each page: as a file of its own it would cost one more request.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { raw } from 'hono/html'
import type { Html } from './html.ts'

const ICON = readFileSync(join(import.meta.dirname, 'static/icon.svg'), 'utf8')

/** The icon without what only a file of its own needs; its name is next to it. */
export const MARK: Html = raw(
  ICON.replace(/<title>.*?<\/title>|<!--.*?-->/gs, '')
    .replace(/ xmlns="[^"]*"/, ' width="30" height="30" aria-hidden="true"')
    .replaceAll(/\s*\n\s*/g, ''),
)
