// The modules that a browser runs: the protocol's own files and the decoder page's, with their types stripped.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { transformSync } from 'amaro'
import { readFolder, type ServedFile, servedFile } from '../http/static.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Served below one address as they lie in the project, so that their imports of one another hold. */
const FOLDERS = ['protocol', 'protocol/wav', 'protocol/receiver', 'server/pages/static']

export interface BrowserModules {
  files: ServedFile[]
  /** The address of a module, from its path in the project. */
  urlOf(path: string): string
}

/** Reads and strips them, once at the start. Their address carries a hash of them all: a page never mixes two versions. */
export function browserModules(): BrowserModules {
  const modules = FOLDERS.flatMap((folder) =>
    [...readFolder(join(ROOT, folder), ['.ts'])].map(([name, source]) => ({
      path: `${folder}/${name}`,
      code: stripTypes(source),
    })),
  )
  const hash = createHash('sha256').update(JSON.stringify(modules)).digest('hex')
  const urlOf = (path: string) => `/static/${hash.slice(0, 16)}/${path}`
  return {
    urlOf,
    files: modules.map(({ path, code }) => servedFile(urlOf(path), code, 'immutable', '.js')),
  }
}

/** Puts blanks in the place of types, so that lines and columns stay those of the source. */
function stripTypes(source: Uint8Array): string {
  return transformSync(Buffer.from(source).toString(), { mode: 'strip-only' }).code
}
