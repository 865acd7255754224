// npm start: runs main.ts with its modules compiled once and kept in the cache folder. This file is no TypeScript itself:
// what strips types would have to be loaded for it, and costs as much as a third of the start.
import { existsSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join, resolve } from 'node:path'
import { stopSignal } from './signals.js'

const stopped = stopSignal()
// What the configuration says (store/location.ts) has to be known before it can be loaded.
loadDotEnv()
const dataDir = resolve(process.env.DATA_DIR || './data')
const folders = [dataDir, join(dataDir, '.cache'), join(dataDir, '.cache/modules')]
// With arguments there is nothing to serve, only help or an error: no folder is made for them.
if (process.argv.length === 2 && folders.every(makeFolder)) enableCompileCache(folders.at(-1))
const { main } = await import('./main.ts')
await main(stopped)

function loadDotEnv() {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env')
  } catch {
    // The start itself reports a .env that cannot be read.
  }
}

/**
 * Whether a folder is there or can be made. Left to itself, enableCompileCache would never return on file systems that
 * make no folders, such as /proc.
 * @param {string} path
 */
function makeFolder(path) {
  try {
    if (!existsSync(path)) mkdirSync(path)
    return true
  } catch {
    // The start itself reports a data folder that cannot be made.
    return false
  }
}
