// Thirty days made and verified on every core, beside one at a time.
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { dayOf, dayStart } from '../../archive/format/paths.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { folderSource } from '../../archive/verify/folder.ts'
import { makeDays } from '../../pipeline/backfill.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { openDecoderPool } from '../../pipeline/decoder-pool.ts'
import { findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { withPipeline } from '../../pipeline/session.ts'
import { openStore } from '../../server/store/database.ts'
import type { Part } from './main.ts'
import { median, ratios } from './report.ts'

const DAYS = 30
const PAIRS = 5
const CORES = availableParallelism()

export const benchBackfill: Part = async ({ folder, shared }) => {
  if (findFfmpeg(process.env) === null) return ['needs ffmpeg']
  const single = await secondsOf(async () => backfill(await emptyDataDir(folder), 1))
  const together = await secondsOf(() => thirtyDays(shared))
  const what = `${DAYS} days on ${CORES} cores / one at a time`
  const detail = `${together.toFixed(1)} s beside ${single.toFixed(1)} s`
  return [{ what, values: [together / single], goal: { most: 0.6 }, detail }]
}

export const benchVerify: Part = async ({ shared }) => {
  if (findFfmpeg(process.env) === null) return ['needs ffmpeg']
  const dataDir = await thirtyDays(shared)
  const source = () => folderSource(join(dataDir, 'transmissions'))
  const [ours, others] = [[] as number[], [] as number[]]
  const verifyAlone = () => secondsOf(() => verifyArchive(source()))
  for (let pair = 0; pair < PAIRS; pair++) {
    if (pair % 2 === 0) others.push(await verifyAlone())
    ours.push(await secondsOf(() => verifyOnAllCores(source())))
    if (pair % 2 === 1) others.push(await verifyAlone())
  }
  const what = `verify ${DAYS} days on ${CORES} cores / in one thread`
  const detail = `${median(ours).toFixed(2)} s beside ${median(others).toFixed(2)} s`
  return [{ what, values: ratios(ours, others), goal: { most: 0.6 }, detail }]
}

/** The folder of data of thirty days, made on every core where it is not there yet. */
async function thirtyDays(shared: string): Promise<string> {
  const dataDir = join(shared, 'thirty-days')
  if (existsSync(dataDir)) return dataDir
  await mkdir(dataDir)
  await makeDatabase(dataDir)
  await backfill(dataDir, CORES)
  return dataDir
}

/** As the command does it. */
async function verifyOnAllCores(source: ReturnType<typeof folderSource>): Promise<void> {
  const pool = openDecoderPool(CORES)
  await verifyArchive(source, { decode: pool.decode, daysAtOnce: pool.width + 2 })
  await pool.close()
}

async function backfill(dataDir: string, rendersAtOnce: number): Promise<void> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const config = readPipelineConfig(env, process.versions, rendersAtOnce)
  const { signal } = new AbortController()
  const context = { now: Date.now, random: Math.random, signal, onProgress() {}, warn() {} }
  await withPipeline(config, context, async (pipeline) => {
    await makeDays(pipeline, lastDays(pipeline.now()), ({ day, status, message }) => {
      if (status !== 'published') throw new Error(`${day} ${status}: ${message}`)
    })
  })
}

/** The days before today, ascending. */
function lastDays(now: number): string[] {
  const today = dayStart(dayOf(now))
  return Array.from({ length: DAYS }, (_, i) => dayOf(today - (DAYS - i) * 86_400_000))
}

/** A folder with a database in which nothing was published. */
export async function emptyDataDir(folder: string): Promise<string> {
  const dataDir = await mkdtemp(join(folder, 'data-'))
  await makeDatabase(dataDir)
  return dataDir
}

async function makeDatabase(dataDir: string): Promise<void> {
  await (await openStore(join(dataDir, 'daysignal.sqlite'), { create: true })).close()
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return (performance.now() - begin) / 1000
}
