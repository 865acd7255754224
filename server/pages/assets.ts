// The fixed files that the service sends: style sheet, icons, browser modules, and the pages made of files.
import { join } from 'node:path'
import { readFolder, type ServedFile, servedFile } from '../http/static.ts'
import { browserModules } from './browser-modules.ts'
import { decoderPage } from './decoder.ts'
import { protocolFiles } from './protocol.ts'

/** Reads them once, at startup. */
export function assets(): ServedFile[] {
  const modules = browserModules()
  const looks = readFolder(join(import.meta.dirname, 'static'), ['.css', '.svg'])
  return [
    ...[...looks].map(([name, bytes]) => servedFile(`/static/${name}`, bytes)),
    ...modules.files,
    ...protocolFiles(),
    decoderPage(modules),
  ]
}
