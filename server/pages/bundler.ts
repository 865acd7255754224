// The thread that makes the scripts of the pages: posts their texts, in the order of the entry points, and ends.
import { parentPort, workerData } from 'node:worker_threads'
import { build, stop } from 'esbuild'
import type { BundleRequest } from './scripts.ts'

const { root, entryPoints, sources } = workerData as BundleRequest

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints,
  // Nothing is written: only the names are used.
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
// The address is a hash of the sources: a script made of anything else would change behind it.
const strangers = Object.keys(metafile.inputs).filter((path) => !sources.includes(path))
if (strangers.length > 0) throw new Error(`a script imports ${strangers.join(', ')}`)
parentPort?.postMessage(outputFiles.map(({ text }) => text))
