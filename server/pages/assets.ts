// Everything that the service serves without asking its database or its archive: looks, modules, and the pages made of files.
import { join } from 'node:path'
import { readFolder, type ServedFile, servedFile } from '../http/static.ts'
import { browserModules } from './browser-modules.ts'
import { decoderPage } from './decoder.ts'
import { protocolFiles } from './protocol.ts'

/** Read once, at the start. */
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
