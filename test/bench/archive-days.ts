// Archives thirty days on all cores, compared with one at a time.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { dayOf, dayStart } from '../../archive/format/calendar.ts'
import { publishDays } from '../../pipeline/backfill.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { withPipeline } from '../../pipeline/session.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system.ts'
import type { Part } from './main.ts'

export const DAYS = 30
const CORES = availableParallelism()

export const benchBackfill: Part = async ({ folder, shared }) => {
  if (findFfmpeg(process.env) === null) return ['needs ffmpeg']
  const single = await secondsOf(async () => backfill(await emptyDataDir(folder), 1))
  const concurrent = await secondsOf(() => thirtyDays(shared))
  const label = `${DAYS} days on ${CORES} cores / one at a time`
  const detail = `${concurrent.toFixed(1)} s vs ${single.toFixed(1)} s`
  return [{ label, values: [concurrent / single], goal: { most: 0.6 }, detail }]
}

/** Returns a data folder with thirty days, which the first call archives on all cores. */
export async function thirtyDays(shared: string): Promise<string> {
  const dataDir = join(shared, 'thirty-days')
  if (existsSync(dataDir)) return dataDir
  await mkdir(dataDir)
  await makeDatabase(dataDir)
  await backfill(dataDir, CORES)
  return dataDir
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
async function emptyDataDir(folder: string): Promise<string> {
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
