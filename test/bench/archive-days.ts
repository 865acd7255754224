// Archives and verifies thirty days on all cores, compared with one at a time.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dayOf, dayStart } from '../../archive/format/paths.ts'
import { publishDays } from '../../pipeline/backfill.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { withPipeline } from '../../pipeline/session.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system.ts'
import type { Part } from './main.ts'
import { median, ratios } from './report.ts'

const DAYS = 30
const PAIRS = 5
const CORES = availableParallelism()
const VERIFY = fileURLToPath(new URL('verify-threads.ts', import.meta.url))

export const benchBackfill: Part = async ({ folder, shared }) => {
  if (findFfmpeg(process.env) === null) return ['needs ffmpeg']
  const single = await secondsOf(async () => backfill(await emptyDataDir(folder), 1))
  const concurrent = await secondsOf(() => thirtyDays(shared))
  const label = `${DAYS} days on ${CORES} cores / one at a time`
  const detail = `${concurrent.toFixed(1)} s vs ${single.toFixed(1)} s`
  return [{ label, values: [concurrent / single], goal: { most: 0.6 }, detail }]
}

export const benchVerify: Part = async ({ shared }) => {
  if (findFfmpeg(process.env) === null) return ['needs ffmpeg']
  const dataDir = await thirtyDays(shared)
  const verify = (threads: number) =>
    secondsOf(() => verifyInProcess(join(dataDir, 'transmissions'), threads))
  const [ours, others] = [[] as number[], [] as number[]]
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) others.push(await verify(1))
    ours.push(await verify(CORES))
    if (pair % 2 === 1) others.push(await verify(1))
  }
  const label = `verify ${DAYS} days on ${CORES} cores / in one thread`
  const detail = `${median(ours).toFixed(2)} s vs ${median(others).toFixed(2)} s`
  return [{ label, values: ratios(ours, others), goal: { most: 0.6 }, detail }]
}

/** Returns a data folder with thirty days, which the first call archives on all cores. */
async function thirtyDays(shared: string): Promise<string> {
  const dataDir = join(shared, 'thirty-days')
  if (existsSync(dataDir)) return dataDir
  await mkdir(dataDir)
  await makeDatabase(dataDir)
  await backfill(dataDir, CORES)
  return dataDir
}

/** Verifies in a new process, so that every run compiles its modules, whatever ran before. */
async function verifyInProcess(folder: string, threads: number): Promise<void> {
  const child = spawn(process.execPath, [VERIFY, folder, String(threads)], { stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`verify-threads.ts exited with ${code}`)
}

async function backfill(dataDir: string, renderConcurrency: number): Promise<void> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const config = readPipelineConfig(env, process.versions, renderConcurrency)
  const { signal } = new AbortController()
  const context = { clock: system.clock, random: Math.random, signal, onProgress() {}, warn() {} }
  await withPipeline(config, context, async (pipeline) => {
    await publishDays(pipeline, lastDays(pipeline.clock.now()), ({ day, status, message }) => {
      if (status !== 'published') throw new Error(`${day} ${status}: ${message}`)
    })
  })
}

/** The days before today, ascending. */
function lastDays(now: number): string[] {
  const today = dayStart(dayOf(now))
  return Array.from({ length: DAYS }, (_, i) => dayOf(today - (DAYS - i) * 86_400_000))
}

/** Creates a data folder with an empty database. */
export async function emptyDataDir(folder: string): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  await makeDatabase(dataDir)
  return dataDir
}

async function makeDatabase(dataDir: string): Promise<void> {
  await (
    await openDatabase(join(dataDir, 'daysignal.sqlite'), { clock: system.clock, create: true })
  ).close()
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}
