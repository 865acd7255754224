// Serves the scripts of the pages: each is a single file. A release has them (server/deploy/release.ts). In a checkout, the
// first request bundles all.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, sep } from 'node:path'
import type { Plugin } from 'esbuild'
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

export const buildScripts = async (): Promise<BuiltScripts> => ({
  version: VERSION,
  texts: await bundle(),
})

/** The URL of a script. It contains the version, so that a page never mixes two of them. */
export const scriptUrl = (name: ScriptName): string => `/static/${VERSION}/${name}.js`

let texts = built && Promise.resolve(built.texts)

/** Loads all scripts together, because one build makes them all. After a failure the next request tries again. */
const load = (): Promise<string[]> => {
  texts ??= bundle().catch((error) => {
    texts = undefined
    throw error
  })
  return texts
}

export const scriptFiles = (): ServedFile[] =>
  SCRIPTS.map((name, i) =>
    servedFile(scriptUrl(name), async () => Buffer.from((await load())[i] as string), 'immutable'),
  )

function versionOf(): string {
  const hash = createHash('sha256')
  const { resolve } = createRequire(import.meta.url)
  const packages = ['esbuild', PACKAGE].map((name) => resolve(`${name}/package.json`))
  for (const path of [import.meta.filename, ...packages]) hash.update(readFileSync(path))
  const sources = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `${folder}/${name.replaceAll(sep, '/')}`)
      .sort(),
  )
  for (const path of sources) hash.update(`\0${path}\0`).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex').slice(0, 16)
}

/** What the archive imports and a browser lacks, with the script that stands in for it. */
const STAND_INS: Readonly<Record<string, string>> = {
  'node:crypto': 'crypto.ts',
  'node:timers/promises': 'timers.ts',
  './exchange.ts': 'exchange.ts',
}

const standIns: Plugin = {
  name: 'stand-ins',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^node:|^\.\/exchange\.ts$/ }, ({ path }) => {
      const script = STAND_INS[path]
      return script ? { path: join(ROOT, 'server/pages/static/check', script) } : undefined
    }),
}

/** Returns the texts of the scripts in the order of SCRIPTS. */
async function bundle(): Promise<string[]> {
  const { build, stop } = await import('esbuild')
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: SCRIPTS.map((name) => `server/pages/static/${name.replace('-', '/')}.ts`),
    // Required for several entry points, though nothing is written.
    outdir: 'scripts',
    write: false,
    metafile: true,
    bundle: true,
    // So that node_modules may be a link, and its files are listed all the same.
    preserveSymlinks: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'silent',
    plugins: [standIns],
  })
  await stop()
  // The URL contains a hash of what is in these folders: a script that imports anything else could change under the same URL.
  const listed = [...FOLDERS, `node_modules/${PACKAGE}`].map((folder) => `${folder}/`)
  const isListed = (path: string) => listed.some((folder) => path.startsWith(folder))
  const unlisted = Object.keys(metafile.inputs).filter((path) => !isListed(path))
  if (unlisted.length > 0) throw new Error(`a script imports ${unlisted.join(', ')}`)
  return outputFiles.map(({ text }) => text)
}
