// Serves the scripts of the pages: each is a single file. A release has them (server/deploy/release.ts). In a checkout, the
// first request bundles all, unless the cache folder has them.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import { Worker } from 'node:worker_threads'
import { realDisk, replaceFile } from '../../../archive/base/durable.ts'
import { makeFolders } from '../../../archive/base/folders.ts'
import { type ServedFile, servedFile } from '../../http/static.ts'

/** The entry points: `decode-page` is static/decode/page.ts. A script loads another one as in `./decode-worker.js`. */
const SCRIPTS = [
  'check-message',
  'day-page',
  'decode-page',
  'decode-worker',
  'enhance-page',
  'how-page',
  'listen-page',
  'listen-worklet',
  'write-form',
] as const
export type ScriptName = (typeof SCRIPTS)[number]

const ROOT = join(import.meta.dirname, '../../..')
/** The folders and the package that scripts may import from. */
const FOLDERS = ['protocol', 'archive', 'server/pages/static']
const PACKAGE = 'zod'
const BUNDLER = join(import.meta.dirname, 'bundler.ts')

export interface ScriptDeps {
  /** The folder of files that can be rebuilt. */
  cacheDir: string
  log: { warn(fields: object, message: string): void }
}

export interface BundleRequest {
  /** The folder that the paths are relative to. */
  root: string
  entryPoints: string[]
  /** The only folders that the bundles may include files of. */
  folders: string[]
}

/** The scripts of a release, in the order of SCRIPTS. */
export interface BuiltScripts {
  version: string
  texts: string[]
}

/** Where a release has its scripts, as a path from the project's folder. */
export const BUILT = 'server/pages/static/built.json'

const built: BuiltScripts | undefined = existsSync(join(ROOT, BUILT))
  ? JSON.parse(readFileSync(join(ROOT, BUILT), 'utf8'))
  : undefined

/** Identifies the sources and the bundler. */
const VERSION = built?.version ?? versionOf()

/** Bundles the scripts for a release. */
export const buildScripts = async (): Promise<BuiltScripts> => ({
  version: VERSION,
  texts: await bundle(),
})

/** The URL of a script. It contains the version, so that a page never mixes two of them. */
export const scriptUrl = (name: ScriptName): string => `/static/${VERSION}/${name}.js`

export function scriptFiles({ cacheDir, log }: ScriptDeps): ServedFile[] {
  const dir = join(cacheDir, 'scripts', VERSION)
  const buildAndStore = async (): Promise<string[]> => {
    const texts = await bundle()
    await store(dir, texts).catch((error) => {
      log.warn({ err: error, dir }, `the pages' scripts cannot be stored: ${error.message}`)
    })
    return texts
  }
  let texts = built && Promise.resolve(built.texts)
  /** Loads all scripts together, because one build makes them all. After a failure the next request tries again. */
  const load = (): Promise<string[]> => {
    texts ??= readStored(dir)
      .then((found) => found ?? buildAndStore())
      .catch((error) => {
        texts = undefined
        throw error
      })
    return texts
  }
  return SCRIPTS.map((name, i) =>
    servedFile(scriptUrl(name), async () => Buffer.from((await load())[i] as string), 'immutable'),
  )
}

function versionOf(): string {
  const hash = createHash('sha256')
  const { resolve } = createRequire(import.meta.url)
  const packages = ['esbuild', PACKAGE].map((name) => resolve(`${name}/package.json`))
  for (const path of [BUNDLER, ...packages]) hash.update(readFileSync(path))
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.replaceAll(sep, '/')}`)
      .sort(),
  )
  for (const path of sources) hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex').slice(0, 16)
}

/** Returns the stored scripts in the order of SCRIPTS; undefined unless all of them can be read. */
const readStored = (dir: string): Promise<string[] | undefined> =>
  Promise.all(SCRIPTS.map((name) => readFile(join(dir, `${name}.js`), 'utf8'))).catch(
    () => undefined,
  )

/** Writes each file atomically, because another process may write the same one. */
async function store(dir: string, texts: string[]): Promise<void> {
  await makeFolders(dir)
  for (const [i, name] of SCRIPTS.entries()) {
    const file = `${name}.js`
    const unfinished = `${file}.${process.pid}`
    await replaceFile(realDisk, dir, unfinished, Buffer.from(texts[i] as string), file)
  }
}

/** Bundles in a worker thread, so that its memory is released when it exits. */
function bundle(): Promise<string[]> {
  const entryPoints = SCRIPTS.map((name) => `server/pages/static/${name.replace('-', '/')}.ts`)
  const folders = [...FOLDERS, `node_modules/${PACKAGE}`]
  const request: BundleRequest = { root: ROOT, entryPoints, folders }
  return new Promise((resolve, reject) => {
    const thread = new Worker(BUNDLER, { workerData: request })
    thread.once('message', resolve)
    thread.once('error', reject)
    thread.once('exit', (code) => reject(new Error(`the bundler exited with ${code}`)))
  })
}
