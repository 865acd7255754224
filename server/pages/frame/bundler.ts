// The worker thread that bundles the scripts of the pages. Posts their texts in the order of the entry points, and exits.
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { build, type Plugin, stop } from 'esbuild'
import type { BundleRequest } from './scripts.ts'

const { root, entryPoints, folders } = workerData as BundleRequest

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
      return script ? { path: join(root, 'server/pages/static/check', script) } : undefined
    }),
}

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints,
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
const unlisted = Object.keys(metafile.inputs).filter(
  (path) => !folders.some((folder) => path.startsWith(`${folder}/`)),
)
if (unlisted.length > 0) throw new Error(`a script imports ${unlisted.join(', ')}`)
parentPort?.postMessage(outputFiles.map(({ text }) => text))
