// The worker thread that bundles the scripts of the pages. Posts their texts in the order of the entry points, and exits.
import { parentPort, workerData } from 'node:worker_threads'
import { build, stop } from 'esbuild'
import type { BundleRequest } from './scripts.ts'

const { root, entryPoints, sources } = workerData as BundleRequest

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints,
  // Required for several entry points, though nothing is written.
  outdir: 'scripts',
  write: false,
  metafile: true,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  logLevel: 'silent',
})
await stop()
// The URL contains a hash of the listed sources: a script that imports anything else could change under the same URL.
const unlisted = Object.keys(metafile.inputs).filter((path) => !sources.includes(path))
if (unlisted.length > 0) throw new Error(`a script imports ${unlisted.join(', ')}`)
parentPort?.postMessage(outputFiles.map(({ text }) => text))
