// npm start: runs main.ts, with a compile cache in the cache folder unless it has one (deploy/run.js). This file is plain
// JavaScript because loading Node's type stripping before the cache is enabled would take up to a third of the startup time.
import { existsSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { stopSignal } from './signals.js'

const stopped = stopSignal()
// Repeats two rules of data/location.ts: the cache folder must be known before any module is loaded.
loadDotEnv()
const dataDir = resolve(process.env.DATA_DIR || './data')
const folders = [dataDir, join(dataDir, '.cache'), join(dataDir, '.cache/modules')]
// With arguments, npm start only prints help or an error, so create no folders then.
const isStart = process.argv.length === 2
const hasCache = process.env.NODE_COMPILE_CACHE !== undefined
if (isStart && !hasCache && folders.every(makeFolder)) enableCompileCache(folders.at(-1))
const { main } = await import('./main.ts')
await main(stopped)

function loadDotEnv() {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env')
  } catch {
    // main.ts reports a .env that cannot be read.
  }
}

/**
 * Creates a folder if it is missing, and returns whether it exists. enableCompileCache must not do this itself: on file
 * systems without folder creation, such as /proc, it would never return.
 * @param {string} path
 */
function makeFolder(path) {
  try {
    if (!existsSync(path)) mkdirSync(path)
    return true
  } catch {
    // main.ts reports a data folder that cannot be created.
    return false
  }
}
