// Measures npm run verify: thirty days as the pipeline makes them, and a year of synthetic ones.
import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { dayOf } from '../../archive/format/calendar.ts'
import { soundOf } from '../../archive/format/sound.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { findFfmpeg } from '../../pipeline/render/find-ffmpeg.ts'
import { withPipeline } from '../../pipeline/run/session.ts'
import { publishDays } from '../../pipeline/sealing/backfill.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { type Day, makeDay, makeManifest, writeDay } from '../archive/days.ts'
import { DAY_MS, YESTERDAY } from './boards.ts'
import { measureProgram } from './cpu.ts'
import type { Part } from './main.ts'
import type { Goal, Row } from './report.ts'
import { scriptOf } from './servers.ts'

const RUNS = 6
const DAYS = 30
const YEAR = 365

export const benchVerify: Part = async ({ folder }) => {
  const year = rowsOf(`${YEAR} synthetic days`, makeYear(join(folder, 'year')), 30)
  if (findFfmpeg(process.env) === null) return [...year, 'thirty rendered days need ffmpeg']
  const dataDir = join(folder, 'rendered')
  await renderDays(dataDir)
  const archive = join(dataDir, 'transmissions')
  const [seconds, cpu, memory] = rowsOf(`${DAYS} rendered days`, archive, 2)
  return [seconds, { ...cpu, goal: { most: 4 } }, memory, ...year]
}

/** @param most the goal of the wall time [s] */
function rowsOf(days: string, folder: string, most: number): [Row, Row, Row] {
  const runs = Array.from({ length: RUNS }, () =>
    measureProgram([...scriptOf('verify'), folder], process.env),
  )
  const row = (label: string, of: keyof (typeof runs)[number], goal?: Goal): Row => ({
    label: `verify ${days}, ${label}`,
    values: runs.map((run) => run[of]),
    ...(goal && { goal }),
  })
  return [
    row('[s]', 'wall', { most }),
    row('CPU [s]', 'cpu'),
    row('memory [MiB]', 'memory', { most: 200 }),
  ]
}

/** Makes a data folder with an empty board and the last days, rendered as the pipeline does. */
async function renderDays(dataDir: string): Promise<void> {
  await mkdir(dataDir)
  const file = join(dataDir, 'daysignal.sqlite')
  await (await openDatabase(file, { clock: system.clock, create: true })).close()
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const config = readPipelineConfig(env, process.versions, availableParallelism())
  const { signal } = new AbortController()
  const report = { warn() {}, progress() {} }
  const context = { clock: system.clock, random: Math.random, signal, report }
  const days = Array.from({ length: DAYS }, (_, i) => dayOf(YESTERDAY - (DAYS - 1 - i) * DAY_MS))
  await withPipeline(config, context, (pipeline) =>
    publishDays(pipeline, days, ({ day, status, message }) => {
      if (status !== 'published') throw new Error(`${day} ${status}: ${message}`)
    }),
  )
}

/** Makes an archive without a log, whose days have the sound of the day, a small picture and a film without pictures. */
function makeYear(folder: string): string {
  let previous: Day | null = null
  for (let i = YEAR - 1; i >= 0; i--) {
    const { snapshot, media } = makeDay(dayOf(YESTERDAY - i * DAY_MS), previous)
    const sounding = { ...media, wav: soundOf(snapshot) }
    previous = { snapshot, media: sounding, manifest: makeManifest(snapshot, sounding) }
    writeDay(folder, previous)
  }
  return folder
}
