// Creates and updates a mirror of an archive (FORMAT.md 21). The caller holds the folder's lock.
//
// The order of steps, so that a kill at any moment leaves only verified files under their names:
//   1. the log         is read and compared with the mirror's own, but not written yet.
//   2. `mirror.json`   is written; from now on the folder is a mirror.
//   3. manifests       of incomplete days are checked against the log, and staged.
//   4. media           are downloaded to partial files, and renamed once their hashes match.
//   5. each day        gets `<day>.json`, then its manifest.
//   6. check files     are written, then `log`, `key` and `checkpoint`.

import { type ArchiveError, asWriteError, isArchiveError, naming } from '../errors.ts'
import type { NamedFile } from '../format/manifest.ts'
import { isDaySelected, type MirrorSettings, type Selection } from '../format/mirror.ts'
import {
  CHECKPOINT_FILE,
  KEY_FILE,
  keyOf,
  LOG_FILE,
  MIRROR_FILE,
  manifestKey,
  manifestName,
  SUMS_FILE,
} from '../format/paths.ts'
import { parseSums } from '../format/sums.ts'
import { Client, type ClientOptions } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { formatVkey, parseVkey, type Verifier } from '../log/note.ts'
import { folderPlace } from '../place/folder.ts'
import { locateLog } from '../place/locate.ts'
import type { ServedPlace } from '../place/served.ts'
import { readerOf } from '../reader.ts'
import { type Finding, findingFor } from '../verify/findings.ts'
import { REREAD_AFTER_MS, REREADS } from '../verify/log.ts'
import { writeSums } from '../writing/derived.ts'
import { download } from './download.ts'
import { MirrorFolder } from './folder.ts'
import { type History, HistoryRejected, readHistory, signedLog } from './history.ts'
import {
  type DayPlan,
  type LoggedDay,
  loggedDays,
  OtherManifest,
  type PlanContext,
  planDay,
  publishDay,
} from './plan.ts'

export interface MirrorOptions {
  /** The base address of a service, or of a folder behind a plain file server. */
  source: string
  dir: string
  /** The requested selection; absent properties stay as they are. */
  selection: Partial<Selection>
  /** Keys of which one must have signed the log; if null, those of the last run, or for a new mirror the origin's. */
  keys: readonly Verifier[] | null
  /** The number of days fetched concurrently. */
  jobs: number
  client?: ClientOptions
  /** @param done of `total` [bytes] */
  onProgress?: (done: number, total: number, day: string) => void
}

export interface MirrorReport {
  ok: boolean
  source: string
  /** The number of selected days in the log. */
  days: number
  /** The number of days added or completed. */
  updated: number
  /** The size of the downloaded media files. */
  bytes: number
  findings: Finding[]
}

/**
 * Brings a mirror up to date.
 * @throws ArchiveError if the folder cannot be a mirror or cannot be written
 */
export async function mirrorArchive(options: MirrorOptions): Promise<MirrorReport> {
  const folder = new MirrorFolder(options.dir)
  const { source } = options
  const settings = await folder.settingsFor(source, options.selection)
  const report: MirrorReport = { ok: false, source, days: 0, updated: 0, bytes: 0, findings: [] }
  const client = new Client(options.client)
  try {
    const found = await readAndPlan(client, folder, settings, options, report)
    if (found) await complete(folder, settings, options, found, report)
  } catch (error) {
    // A system error concerns our folder; failures of the source have classes of their own.
    if (error instanceof Error && 'syscall' in error) throw asWriteError(error, folder.dir)
    if (!(error instanceof FetchFailure) && !(error instanceof HistoryRejected)) throw error
    report.findings.push(
      error instanceof FetchFailure
        ? { code: error.code, file: error.url ?? source, message: error.message }
        : findingFor(error.ownFile ?? source, error.cause),
    )
  }
  report.ok = report.findings.length === 0
  return report
}

interface Found {
  origin: ServedPlace
  history: History
  plans: DayPlan[]
}

/** @returns null if the history must not be followed */
async function readAndPlan(
  client: Client,
  folder: MirrorFolder,
  settings: MirrorSettings,
  { source, keys: given, jobs }: MirrorOptions,
  report: MirrorReport,
): Promise<Found | null> {
  const stored = storedKeys(settings)
  for (let attempt = 0; ; attempt += 1) {
    const { place: origin, note } = await locateLog(client, source)
    const history = await readHistory(origin, note, folder, { given, stored })
    if (given || stored || history.hasOtherKeys) settings.keys = history.keys.map(formatVkey)
    await folder.writeSettings(settings)
    const days = loggedDays(history.entries).filter(({ day }) => isDaySelected(settings, day))
    report.days = days.length
    const context = { origin, folder, selection: settings }
    const { plans, failures } = await planDays(context, days, jobs)
    // A day may have been upgraded after we read the log and before we read its manifest.
    if (failures.some(({ error }) => error instanceof OtherManifest) && attempt < REREADS) {
      await client.pause(REREAD_AFTER_MS)
      continue
    }
    for (const { day, error } of failures) report.findings.push(await findingOf(folder, day, error))
    const isRejected = failures.some(({ error }) => isArchiveError(error, 'manifest_not_logged'))
    return isRejected ? null : { origin, history, plans }
  }
}

/** @throws ArchiveError `invalid_mirror` */
function storedKeys({ keys }: MirrorSettings): Verifier[] | null {
  return keys?.map((vkey) => naming(MIRROR_FILE, () => parseVkey(vkey), 'invalid_mirror')) ?? null
}

interface DayFailure {
  day: string
  error: OriginError
}

const byDay = (a: { day: string }, b: { day: string }): number => (a.day < b.day ? -1 : 1)

/** Plans the days concurrently. @returns plans of incomplete days, and failures; both ascending by day */
async function planDays(
  context: PlanContext,
  days: readonly LoggedDay[],
  jobs: number,
): Promise<{ plans: DayPlan[]; failures: DayFailure[] }> {
  const doubtful = await doubtfulDays(context.origin, days)
  const plans: DayPlan[] = []
  const failures: DayFailure[] = []
  await forEachConcurrently(days, jobs, async (logged) => {
    const { day } = logged
    try {
      const plan = await planDay(context, logged, doubtful.has(day))
      if (plan) plans.push(plan)
    } catch (error) {
      if (!isOriginError(error)) throw error
      failures.push({ day, error })
    }
  })
  return { plans: plans.sort(byDay), failures: failures.sort(byDay) }
}

/** The days for which the origin's check file names another manifest than its log. */
async function doubtfulDays(origin: ServedPlace, days: readonly LoggedDay[]): Promise<Set<string>> {
  let sums: Uint8Array
  try {
    sums = (await origin.read(SUMS_FILE)).content
  } catch (error) {
    // A plain folder need not have one.
    if (error instanceof FetchFailure && error.code === 'missing') return new Set()
    throw error
  }
  const lines = parseSums(Buffer.from(sums).toString())
  const stated = new Map(lines.map(({ name, sha256 }) => [name, sha256]))
  const differing = days.filter(({ day, leaves }) => {
    const sha256 = stated.get(manifestKey(day))
    return sha256 !== undefined && sha256 !== leaves.at(-1)?.sha256
  })
  return new Set(differing.map(({ day }) => day))
}

/** Downloads the missing files of each day and publishes it, then updates the files in the root. */
async function complete(
  folder: MirrorFolder,
  selection: Selection,
  { jobs, onProgress = () => {} }: MirrorOptions,
  { origin, history, plans }: Found,
  report: MirrorReport,
): Promise<void> {
  const total = sum(plans.flatMap(({ missing }) => missing.map(({ bytes }) => bytes)))
  let done = 0
  await forEachConcurrently(plans, jobs, async ({ day, missing }) => {
    const failures: Finding[] = []
    for (const file of missing)
      try {
        await fetchMedium(origin, folder, day, file, (count) => {
          done += count
          onProgress(done, total, day)
        })
        report.bytes += file.bytes
      } catch (error) {
        if (!isOriginError(error)) throw error
        failures.push(await findingOf(folder, day, error, file.name))
      }
    report.findings.push(...failures)
    if (failures.length > 0) return
    await publishDay(folder, day)
    report.updated += 1
  })
  const place = folderPlace(folder.dir)
  await writeSums(place, readerOf(place), false, { kinds: selection.media })
  await folder.replace(LOG_FILE, signedLog(history))
  await folder.replace(KEY_FILE, history.key)
  await folder.replace(CHECKPOINT_FILE, history.note)
}

async function fetchMedium(
  origin: ServedPlace,
  folder: MirrorFolder,
  day: string,
  file: NamedFile,
  onBytes: (count: number) => void,
): Promise<void> {
  const incoming = await folder.incoming(day, file)
  await download(origin, incoming, onBytes)
  await folder.accept(day, file.name, incoming)
}

/** An error caused by the origin: it is reported, and the run continues. */
type OriginError = OtherManifest | FetchFailure | ArchiveError

function isOriginError(error: unknown): error is OriginError {
  if (error instanceof OtherManifest || error instanceof FetchFailure) return true
  return isArchiveError(error, 'manifest_not_logged', 'invalid_manifest', 'conflict')
}

/** Reports a failed file. A manifest that contradicts the log is kept as evidence. */
async function findingOf(
  folder: MirrorFolder,
  day: string,
  error: OriginError,
  name = manifestName(day),
): Promise<Finding> {
  const file = keyOf(day, name)
  if (error instanceof OtherManifest) {
    const kept = await folder.keepRefused(name, error.bytes)
    const message = `${error.message}; it is kept as ${kept}`
    return { code: 'manifest_not_logged', file, message }
  }
  if (error instanceof FetchFailure) return { code: error.code, file, message: error.message }
  return findingFor(file, error)
}

/** Rejects with the first error only after all work has stopped, because the caller then releases the lock. */
async function forEachConcurrently<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let left = [...items]
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  const workers = Array.from({ length: width }, () =>
    worker().catch((error) => {
      left = []
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
