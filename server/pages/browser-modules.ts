// The modules that a browser runs: the protocol's own files and the decoder page's, with their types stripped.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { transformSync } from 'amaro'
import { readFolder, type ServedFile, servedFile } from '../http/static.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Served in the layout that they have in the project, so that their relative imports work. */
const FOLDERS = ['protocol', 'protocol/wav', 'protocol/receiver', 'server/pages/static']

export interface BrowserModules {
  files: ServedFile[]
  /** The address of a module, from its path in the project. */
  urlOf(path: string): string
}

/** Reads and strips them, once at startup. Their address contains a hash of them all, so that a page never mixes two versions. */
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

/** Replaces types with blanks, so that lines and columns stay those of the source. */
function stripTypes(source: Uint8Array): string {
  return transformSync(Buffer.from(source).toString(), { mode: 'strip-only' }).code
}
