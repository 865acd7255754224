// Lists the static files of the service: style sheets, icons, scripts and the files of the protocol.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ServedFile, servedFile } from '../http/static.ts'
import { SITEMAP_URL } from './api.ts'
import { readerPackage } from './days/reader-package.ts'
import { COVER_FILE, ICON_FILE } from './frame/brand.ts'
import { scriptFiles } from './frame/scripts.ts'
import { styleFiles } from './frame/stylesheet.ts'
import { protocolFiles } from './signal/protocol.ts'

/**
 * Everything is public, but crawlers need not read the API: the pages show the same records. Nor searches, which are no
 * records and without end.
 */
const ROBOTS = 'User-agent: *\nDisallow: /api/v1/\nDisallow: /search\n'

export function assets(baseUrl: string | undefined): ServedFile[] {
  return [
    ...styleFiles(),
    ICON_FILE,
    COVER_FILE,
    ...scriptFiles(),
    ...protocolFiles(),
    ...(readerPackage ? [readerPackage] : []),
    servedFile('/favicon.ico', () => readFile(join(import.meta.dirname, 'static/favicon.ico'))),
    // It must name the sitemap by its whole address.
    servedFile('/robots.txt', baseUrl ? `${ROBOTS}Sitemap: ${baseUrl}${SITEMAP_URL}\n` : ROBOTS),
  ]
}
