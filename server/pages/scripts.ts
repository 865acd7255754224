// The scripts of the pages: each is one file, bundled when it is first asked for and kept in the cache folder.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { namesIn, type ServedFile, servedFile } from '../http/static.ts'
import { makeFolders } from '../store/folders.ts'

/** The entry points, files of static/. A script finds another one next to it, as in `./decode-worker.js`. */
const SCRIPTS = ['decode-page', 'decode-worker', 'enhance-page', 'write-form'] as const
export type ScriptName = (typeof SCRIPTS)[number]

const ROOT = join(import.meta.dirname, '../..')
/** What scripts may be made of. */
const SOURCE_FOLDERS = [
  'protocol',
  'protocol/wav',
  'protocol/receiver',
  'archive/drawing',
  'server/pages/static',
]
const BUNDLER = join(import.meta.dirname, 'bundler.ts')

export interface ScriptDeps {
  /** For what can be made again. */
  cacheDir: string
  log: { warn(fields: object, message: string): void }
}

export interface BundleRequest {
  /** The folder that the paths start from. */
  root: string
  entryPoints: string[]
  /** What the bundles may contain. */
  sources: string[]
}

export interface Scripts {
  files: ServedFile[]
  urlOf(name: ScriptName): string
}

/** Their address contains a hash of all that they are made of and by, so that a page never mixes two versions. */
export function openScripts({ cacheDir, log }: ScriptDeps): Scripts {
  const sources = SOURCE_FOLDERS.flatMap((folder) =>
    namesIn(join(ROOT, folder), ['.ts']).map((name) => `${folder}/${name}`),
  )
  const version = versionOf(sources)
  const dir = join(cacheDir, 'scripts', version)
  const makeAndKeep = async (): Promise<string[]> => {
    const texts = await bundle(sources)
    await keep(dir, texts).catch((error) => {
      log.warn({ err: error, dir }, `the pages' scripts cannot be kept: ${error.message}`)
    })
    return texts
  }
  let texts: Promise<string[]> | undefined
  /** All at once, so that they are made together; after a failure the next request tries again. */
  const load = (): Promise<string[]> => {
    texts ??= kept(dir)
      .then((found) => found ?? makeAndKeep())
      .catch((error) => {
        texts = undefined
        throw error
      })
    return texts
  }
  const urlOf = (name: ScriptName) => `/static/${version}/${name}.js`
  return {
    urlOf,
    files: SCRIPTS.map((name, i) =>
      servedFile(urlOf(name), async () => Buffer.from((await load())[i] as string), 'immutable'),
    ),
  }
}

function versionOf(sources: string[]): string {
  const hash = createHash('sha256')
  const esbuild = createRequire(import.meta.url).resolve('esbuild/package.json')
  for (const path of [BUNDLER, esbuild]) hash.update(readFileSync(path))
  for (const path of sources) hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex').slice(0, 16)
}

/** In the order of SCRIPTS; undefined unless all of them can be read. */
const kept = (dir: string): Promise<string[] | undefined> =>
  Promise.all(SCRIPTS.map((name) => readFile(join(dir, `${name}.js`), 'utf8'))).catch(
    () => undefined,
  )

/** A file is there as a whole or not at all, whoever else writes it. */
async function keep(dir: string, texts: string[]): Promise<void> {
  makeFolders(dir)
  for (const [i, name] of SCRIPTS.entries()) {
    const path = join(dir, `${name}.js`)
    const unfinished = `${path}.${process.pid}`
    await writeFile(unfinished, texts[i] as string)
    await rename(unfinished, path)
  }
}

/** In a thread, which gives back the memory that it took. */
function bundle(sources: string[]): Promise<string[]> {
  const entryPoints = SCRIPTS.map((name) => `server/pages/static/${name}.ts`)
  const request: BundleRequest = { root: ROOT, entryPoints, sources }
  return new Promise((resolve, reject) => {
    const thread = new Worker(BUNDLER, { workerData: request })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', (code) => reject(new Error(`the bundler ended with ${code}`)))
  })
}
