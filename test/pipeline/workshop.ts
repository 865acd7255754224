// Provides a test with a database and an archive in a new folder, and with a pipeline that runs on the test's clock.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach } from 'vitest'
import { makeFolders } from '../../archive/base/folders.ts'
import { dayStart, nextDay } from '../../archive/format/calendar.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { Report } from '../../archive/verify/findings.ts'
import { observeDay } from '../../pipeline/days/coverage.ts'
import { composeSnapshot } from '../../pipeline/days/snapshot.ts'
import { inFolder } from '../../pipeline/run/archive.ts'
import type { DayOutcome, Run, RunReport, RunTools } from '../../pipeline/run/session.ts'
import { openDayLog } from '../../pipeline/run/signed-log.ts'
import { fixDay } from '../../pipeline/sealing/fix-snapshot.ts'
import { renderDay, sealDay } from '../../pipeline/sealing/publish.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import type { Counts } from '../../server/data/counts.ts'
import { system } from '../../server/system/system.ts'
import { type Day, makeDay, NO_RECORDS, publish } from '../archive/days.ts'
import { verified } from '../archive/decoding.ts'
import { openDatabaseIn } from '../support/database.ts'
import { temporaryFolder } from '../support/release.ts'
import { LIGHT_RENDERERS } from '../support/renderings.ts'
import { logConfigIn } from '../support/sealing.ts'
import { openWriter } from '../support/writers.ts'
import { recordsOf } from './records.ts'

/** @throws when a stage fails */
export async function archiveDay(pipeline: Run, day: string): Promise<DayOutcome> {
  const fixed = await fixDay(pipeline, day)
  if ('status' in fixed) return fixed
  const sealed = await sealDay(pipeline, await renderDay(pipeline, fixed.snapshot))
  const notes = [...fixed.notes, ...sealed]
  return { day, status: 'published', ...(notes.length > 0 && { message: notes.join('; ') }) }
}

const TOOLS: RunTools = {
  ...LIGHT_RENDERERS,
  ffmpeg: null,
  ffmpegShortage: null,
  versions: { node: '24.0.0', sharp: '0.35.0' },
  concurrency: 2,
}

export const UNHEARD: RunReport = { warn() {}, progress() {} }

export type Workshop = Awaited<ReturnType<typeof openWorkshop>>

export async function openWorkshop() {
  const dir = temporaryFolder()
  const archiveDir = join(dir, 'transmissions')
  const database = await openDatabaseIn(dir)
  const clock = { now: Date.parse('2026-11-20T00:05:00Z') }
  let log: ReturnType<typeof openDayLog> | undefined
  // All pipelines share one log, because under the lock only one of them would sign.
  const dayLog = () => {
    log ??= openDayLog(database, folderPlace(archiveDir), configIn(dir))
    return log
  }
  const workFolder = async () => {
    await makeFolders(archiveDir)
    return join(dir, '.cache')
  }
  return {
    /** Contains daysignal.sqlite and transmissions/, like DATA_DIR. */
    dir,
    archiveDir,
    database,
    records: recordsOf(database),
    clock,
    /** Opens a pipeline with light renderers, without ffmpeg unless `tools` have one. */
    pipeline: async (tools: Partial<RunTools> = {}, changes: Partial<Run> = {}): Promise<Run> => ({
      database,
      archive: inFolder(archiveDir, await workFolder()),
      log: await dayLog(),
      ...contextAt(() => clock.now),
      tools: { ...TOOLS, ...tools },
      ...changes,
    }),
    /** Publishes and logs a synthetic day without the pipeline, at a tenth of the cost. */
    async archive(day: string, previous?: Day): Promise<Day> {
      const built = makeDay(day, previous ?? null)
      await publish(await openWriter(archiveDir, { create: true }), built)
      await (await dayLog()).append([day])
      return built
    },
  }
}

/** Opens a workshop before each test of a file, always as the same object. */
export function workshopForEach(): Workshop {
  const workshop = {} as Workshop
  beforeEach(async () => {
    Object.assign(workshop, await openWorkshop())
  })
  return workshop
}

/** The settings of a run on a data folder, without ffmpeg. */
export const configIn = (dir: string) => ({
  ...logConfigIn(dir),
  witnessPolicy: null,
  database: join(dir, 'daysignal.sqlite'),
  archive: { dir: join(dir, 'transmissions') },
  dataDir: dir,
  cacheDir: join(dir, '.cache'),
  ffmpegSearch: {},
  nodeVersion: '24.0.0',
  renderConcurrency: 1,
})

/** What a run takes from its process, with this wall clock [ms since 1970]. */
export const contextAt = (now: () => number) => ({
  tools: LIGHT_RENDERERS,
  clock: { ...system.clock, now },
  random: () => 0.5,
  signal: new AbortController().signal,
  report: UNHEARD,
})

/** Whether an ffmpeg is encoding a film. */
export function isEncoding({ dir }: Workshop): boolean {
  const work = join(dir, '.cache', '.video')
  if (!existsSync(work)) return false
  const files = readdirSync(work, { recursive: true, encoding: 'utf8' })
  return files.some((name) => name.endsWith('.mp4'))
}

/** A run that signs nothing and knows no log, for a test that changes a manifest or removes the archive. */
export const withoutLog = (run: Run): Run => ({
  ...run,
  log: Object.create(run.log, {
    entries: { value: [] },
    leafOf: { value: () => undefined },
    refuseChanged: { value: async () => {} },
    append: { value: async () => [] },
  }),
})

/** Verifies an archive like `npm run verify`. */
export const verify = (archiveDir: string): Promise<Report> => verified(archiveDir)

/** The snapshot of a day without heartbeats, with some messages and no other records. */
export function unobservedDay(day: string, messages = 0n): Snapshot {
  const span = { from: dayStart(day), to: dayStart(nextDay(day)) }
  const zeroes = Object.fromEntries(COUNTER_NAMES.map((name) => [name, 0n])) as Counts
  return composeSnapshot({
    day,
    span,
    counts: { ...zeroes, messages },
    observed: observeDay(span, [], []),
    previous: null,
    records: NO_RECORDS,
    generatedAt: span.to,
  })
}
