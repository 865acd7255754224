// A database and an archive in a folder of their own, and a pipeline over both under the test's clock.
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dayStart, nextDay } from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import { recordsOf as recordsOfDay } from '../../archive/log/records.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import type { Report } from '../../archive/verify/findings.ts'
import { folderSource } from '../../archive/verify/folder.ts'
import { openWriter } from '../../archive/writing/writer.ts'
import { inFolder } from '../../pipeline/archive.ts'
import { observeDay } from '../../pipeline/coverage.ts'
import { openDayLog } from '../../pipeline/log.ts'
import type { Pipeline } from '../../pipeline/session.ts'
import { composeSnapshot } from '../../pipeline/snapshot.ts'
import { COUNTER_NAMES } from '../../protocol/index.ts'
import type { Store } from '../../server/store/database.ts'
import type { Counts } from '../../server/store/day-counts.ts'
import { type Day, makeDay, publish } from '../archive/days.ts'
import { decode } from '../archive/decoding.ts'
import { openStoreIn } from '../support/database.ts'
import { type Records, recordsOf } from './records.ts'

export interface Workshop {
  /** Holds daysignal.sqlite and transmissions/, as DATA_DIR does. */
  dir: string
  archiveDir: string
  store: Store
  records: Records
  clock: { now: number }
  /** Publishes a day without the pipeline, at a tenth of the cost: what is in it is made up. */
  archive(day: string, previous?: Day): Promise<Day>
  /** Without ffmpeg, unless `changes` brings one. */
  pipeline(changes?: Partial<Pipeline>): Promise<Pipeline>
  close(): Promise<void>
}

export async function openWorkshop(): Promise<Workshop> {
  const dir = mkdtempSync(join(tmpdir(), 'pipeline-'))
  const archiveDir = join(dir, 'transmissions')
  const store = await openStoreIn(dir)
  const clock = { now: Date.parse('2026-11-20T00:05:00Z') }
  let log: ReturnType<typeof openDayLog> | undefined
  // One for all pipelines: as the lock has it, no two of them sign.
  const dayLog = () => {
    log ??= openDayLog(store, folderPlace(archiveDir), {
      logOrigin: undefined,
      defaultLogOrigin: 'localhost/transmissions',
      signingKeyFile: join(dir, 'signing.key'),
    })
    return log
  }
  return {
    dir,
    archiveDir,
    store,
    records: recordsOf(store),
    clock,
    pipeline: async (changes = {}) => ({
      store,
      ...inFolder(archiveDir, await openWriter(archiveDir, { create: true })),
      log: await dayLog(),
      ffmpeg: null,
      ffmpegs: () => [],
      renderConcurrency: 2,
      versions: { node: '24.0.0', sharp: '0.35.0' },
      now: () => clock.now,
      signal: new AbortController().signal,
      onProgress() {},
      ...changes,
    }),
    async archive(day, previous) {
      const made = makeDay(day, previous ?? null)
      await publish(await openWriter(archiveDir, { create: true }), made)
      await (await dayLog()).append([day])
      return made
    },
    async close() {
      await store.close()
      rmSync(dir, { recursive: true })
    },
  }
}

/** Whether an ffmpeg is at work on a day's video. */
export function isEncoding({ archiveDir }: Workshop): boolean {
  const work = join(archiveDir, '.staging', '.video')
  if (!existsSync(work)) return false
  const files = readdirSync(work, { recursive: true, encoding: 'utf8' })
  return files.some((name) => name.endsWith('.mp4'))
}

/** What `npm run verify` would find. */
export const verify = (archiveDir: string): Promise<Report> =>
  verifyArchive(folderSource(archiveDir), { decode, log: { pauseMs: 0 } })

/** A day that nobody watched, with some messages and nothing else. */
export function unwatchedDay(day: string, messages = 0n): Snapshot {
  const span = { from: dayStart(day), to: dayStart(nextDay(day)) }
  const zeroes = Object.fromEntries(COUNTER_NAMES.map((name) => [name, 0n])) as Counts
  return composeSnapshot({
    day,
    span,
    counts: { ...zeroes, messages },
    observed: observeDay(span, [], []),
    previous: null,
    records: recordsOfDay([]),
    generatedAt: span.to,
  })
}
