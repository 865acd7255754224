// npm start: runs main.ts with its modules compiled once and kept in the cache folder. This file is no TypeScript itself:
// what strips types would have to be loaded for it, and costs as much as a third of the start.
import { existsSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { resolve } from 'node:path'
import { stopSignal } from './signals.js'

const stopped = stopSignal()
// What the configuration says (store/location.ts) has to be known before it can be loaded.
if (existsSync('.env')) process.loadEnvFile('.env')
enableCompileCache(resolve(process.env.DATA_DIR || './data', '.cache/modules'))
const { main } = await import('./main.ts')
await main(stopped)
