// Archives the last thirty days, rendered as the pipeline does.
import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { dayOf, dayStart } from '../../archive/format/calendar.ts'
import { readPipelineConfig } from '../../pipeline/config.ts'
import { withPipeline } from '../../pipeline/run/session.ts'
import { publishDays } from '../../pipeline/sealing/backfill.ts'
import { openDatabase } from '../../server/database/open.ts'
import { system } from '../../server/system/system.ts'
import { DAY_MS } from './boards.ts'

export const DAYS = 30

/** Makes a data folder with an empty board and thirty archived days. */
export async function renderDays(dataDir: string): Promise<void> {
  await mkdir(dataDir)
  const file = join(dataDir, 'daysignal.sqlite')
  await (await openDatabase(file, { clock: system.clock, create: true })).close()
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir }
  const config = readPipelineConfig(env, process.versions, availableParallelism())
  const { signal } = new AbortController()
  const report = { warn() {}, progress() {} }
  const context = { clock: system.clock, random: Math.random, signal, report }
  await withPipeline(config, context, async (pipeline) => {
    await publishDays(pipeline, lastDays(pipeline.clock.now()), ({ day, status, message }) => {
      if (status !== 'published') throw new Error(`${day} ${status}: ${message}`)
    })
  })
}

/** The days before today, ascending. */
function lastDays(now: number): string[] {
  const today = dayStart(dayOf(now))
  return Array.from({ length: DAYS }, (_, i) => dayOf(today - (DAYS - i) * DAY_MS))
}
