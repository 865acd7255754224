// The fixed files that the service sends: style sheet, icons, scripts, and the pages made of files.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ServedFile, servedFile, servedFolder } from '../http/static.ts'
import { protocolFiles } from './protocol.ts'
import type { Scripts } from './scripts.ts'
import { styleFiles } from './stylesheet.ts'

/** All of it is public; what the API lists is on pages too. */
const ROBOTS = 'User-agent: *\nDisallow: /api/v1/\n'

export function assets(scripts: Scripts): ServedFile[] {
  return [
    ...styleFiles(),
    ...servedFolder('/static', join(import.meta.dirname, 'static'), ['.svg']),
    ...scripts.files,
    ...protocolFiles(),
    servedFile('/favicon.ico', () => readFile(join(import.meta.dirname, 'static/favicon.ico'))),
    servedFile('/robots.txt', ROBOTS),
  ]
}
