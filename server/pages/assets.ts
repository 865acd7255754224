// The fixed files that the service sends: style sheet, icons, scripts, and the pages made of files.
import { join } from 'node:path'
import { type ServedFile, servedFolder } from '../http/static.ts'
import { decoderPage } from './decoder.ts'
import { protocolFiles } from './protocol.ts'
import type { Scripts } from './scripts.ts'
import { styleFiles } from './stylesheet.ts'

export function assets(scripts: Scripts): ServedFile[] {
  return [
    ...styleFiles(),
    ...servedFolder('/static', join(import.meta.dirname, 'static'), ['.svg']),
    ...scripts.files,
    ...protocolFiles(),
    decoderPage(scripts),
  ]
}
