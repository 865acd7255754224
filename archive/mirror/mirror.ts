// Makes and updates a mirror of an archive (FORMAT.md 21). The caller holds the folder's lock.
//
// The order, so that a kill at any moment leaves only checked files under their names:
//   1. the log         is read and held against the mirror's own; nothing is written of it yet.
//   2. `mirror.json`   the folder is a mirror from now on.
//   3. manifests       of days that lack something are held against the log, and staged.
//   4. media           arrive as parts, and get their names once their hashes are as named.
//   5. each day        gets `<day>.json`, then its manifest.
//   6. check files, then `log`, `key` and `checkpoint`.
import { ArchiveError, asWriteError } from '../errors.ts'
import { MAX_SUMS_BYTES } from '../format/bounds.ts'
import type { NamedFile } from '../format/manifest.ts'
import { isDaySelected, type MirrorSettings, type Selection } from '../format/mirror.ts'
import {
  CHECKPOINT_FILE,
  KEY_FILE,
  LOG_FILE,
  type MediaKind,
  manifestKey,
  manifestName,
  SUMS_FILE,
} from '../format/paths.ts'
import { parseSums } from '../format/sums.ts'
import type { Verifier } from '../log/note.ts'
import { folderPlace } from '../place/folder.ts'
import { readerOf } from '../reader.ts'
import type { Finding, FindingCode } from '../verify/findings.ts'
import { REREAD_AFTER_MS, REREADS } from '../verify/log.ts'
import { writeSums } from '../writing/derived.ts'
import { Client, type ClientOptions, FetchFailure } from './client.ts'
import { download } from './download.ts'
import { MirrorFolder } from './folder.ts'
import { type History, HistoryRefused, readHistory, signedLog } from './history.ts'
import { findOrigin, type Origin } from './origin.ts'
import {
  type DayPlan,
  type LoggedDay,
  loggedDays,
  OtherManifest,
  type Planning,
  planDay,
  publishDay,
} from './plan.ts'

export interface MirrorOptions {
  /** The base address of a service, or of a folder that a plain file server serves. */
  source: string
  dir: string
  /** What is asked for now; the rest stays as the mirror has it. */
  selection: Partial<Selection>
  /** The keys that must have signed the log; null: those of the mirror, or else the origin's own. */
  keys: readonly Verifier[] | null
  /** How many days are fetched at once. */
  jobs: number
  client?: ClientOptions
  /** @param done of `total` bytes */
  onProgress?: (done: number, total: number, day: string) => void
}

export interface MirrorReport {
  ok: boolean
  source: string
  /** The selected days that the log names. */
  days: number
  /** The days that were added or completed. */
  updated: number
  /** Of media that were fetched. */
  bytes: number
  findings: Finding[]
}

/**
 * Brings a mirror up to date.
 * @throws ArchiveError for a folder that cannot be a mirror, or cannot be written
 */
export async function mirrorArchive(options: MirrorOptions): Promise<MirrorReport> {
  const folder = new MirrorFolder(options.dir)
  const { source } = options
  const settings = await folder.settingsFor(source, options.selection)
  const report: MirrorReport = { ok: false, source, days: 0, updated: 0, bytes: 0, findings: [] }
  const client = new Client(options.client)
  try {
    const found = await readAndPlan(client, folder, settings, options, report)
    if (found) await complete(client, folder, settings, options, found, report)
  } catch (error) {
    // The system failed at the folder: failures of the source have a class of their own.
    if (error instanceof Error && 'syscall' in error) throw asWriteError(error, folder.dir)
    if (!(error instanceof FetchFailure) && !(error instanceof HistoryRefused)) throw error
    const file = (error instanceof FetchFailure && error.url) || source
    report.findings.push({ code: error.code as FindingCode, file, message: error.message })
  }
  report.ok = report.findings.length === 0
  return report
}

interface Found {
  origin: Origin
  history: History
  plans: DayPlan[]
}

/** @returns null when the history must not be followed */
async function readAndPlan(
  client: Client,
  folder: MirrorFolder,
  settings: MirrorSettings,
  { source, keys, jobs }: MirrorOptions,
  report: MirrorReport,
): Promise<Found | null> {
  for (let attempt = 0; ; attempt += 1) {
    const { origin, checkpoint } = await findOrigin(client, source)
    const history = await readHistory(client, origin, checkpoint, folder, keys)
    await folder.settle(settings)
    const days = loggedDays(history.entries).filter(({ day }) => isDaySelected(settings, day))
    report.days = days.length
    const planning = { client, origin, folder, selection: settings }
    const { plans, failures } = await planDays(planning, days, jobs)
    // A day may have been upgraded between its log and its manifest.
    if (failures.some(({ error }) => error instanceof OtherManifest) && attempt < REREADS) {
      await client.pause(REREAD_AFTER_MS)
      continue
    }
    for (const { day, error } of failures) report.findings.push(await findingOf(folder, day, error))
    const isRefused = failures.some(
      ({ error }) => error instanceof ArchiveError && error.code === 'manifest_not_logged',
    )
    return isRefused ? null : { origin, history, plans }
  }
}

interface DayFailure {
  day: string
  error: OriginError
}

const byDay = (a: { day: string }, b: { day: string }): number => (a.day < b.day ? -1 : 1)

/** @returns ascending, what the days lack, and why nothing could be planned for others */
async function planDays(
  planning: Planning,
  days: readonly LoggedDay[],
  jobs: number,
): Promise<{ plans: DayPlan[]; failures: DayFailure[] }> {
  const doubtful = await doubtfulDays(planning.client, planning.origin, days)
  const plans: DayPlan[] = []
  const failures: DayFailure[] = []
  await eachAtOnce(days, jobs, async (logged) => {
    const { day } = logged
    try {
      const plan = await planDay(planning, logged, doubtful.has(day))
      if (plan) plans.push(plan)
    } catch (error) {
      if (!isOfOrigin(error)) throw error
      failures.push({ day, error })
    }
  })
  return { plans: plans.sort(byDay), failures: failures.sort(byDay) }
}

/** The days of which the origin's check file states another manifest than its log. */
async function doubtfulDays(
  client: Client,
  origin: Origin,
  days: readonly LoggedDay[],
): Promise<Set<string>> {
  let sums: Uint8Array
  try {
    sums = await client.read(origin.root(SUMS_FILE), MAX_SUMS_BYTES)
  } catch (error) {
    // A plain folder need not have one.
    if (error instanceof FetchFailure && error.code === 'missing') return new Set()
    throw error
  }
  const lines = parseSums(Buffer.from(sums).toString())
  const stated = new Map(lines.map(({ name, sha256 }) => [name, sha256]))
  const differing = days.filter(({ day, manifests }) => {
    const sha256 = stated.get(manifestKey(day))
    return sha256 !== undefined && sha256 !== manifests.at(-1)
  })
  return new Set(differing.map(({ day }) => day))
}

/** Fetches what is missing, then writes what names it. */
async function complete(
  client: Client,
  folder: MirrorFolder,
  selection: Selection,
  { jobs, onProgress = () => {} }: MirrorOptions,
  { origin, history, plans }: Found,
  report: MirrorReport,
): Promise<void> {
  const total = sum(plans.flatMap(({ missing }) => missing.map(({ bytes }) => bytes)))
  let done = 0
  await eachAtOnce(plans, jobs, async ({ day, missing }) => {
    const failures: Finding[] = []
    for (const file of missing)
      try {
        await fetchMedium(client, origin, folder, day, file, (count) => {
          done += count
          onProgress(done, total, day)
        })
        report.bytes += file.bytes
      } catch (error) {
        if (!isOfOrigin(error)) throw error
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
  client: Client,
  origin: Origin,
  folder: MirrorFolder,
  day: string,
  file: NamedFile,
  onBytes: (count: number) => void,
): Promise<void> {
  const url = origin.medium(day, file.kind as MediaKind, file.sha256)
  const incoming = await folder.incoming(day, url, file)
  await download(client, incoming, onBytes)
  await folder.accept(day, file.name, incoming)
}

/** What the origin is to blame for. */
type OriginError = OtherManifest | FetchFailure | ArchiveError

function isOfOrigin(error: unknown): error is OriginError {
  if (error instanceof OtherManifest || error instanceof FetchFailure) return true
  const codes = ['manifest_not_logged', 'invalid_manifest', 'conflict']
  return error instanceof ArchiveError && codes.includes(error.code)
}

/** What went wrong with a file, in one line; a manifest that contradicts the log is kept. */
async function findingOf(
  folder: MirrorFolder,
  day: string,
  error: OriginError,
  name = manifestName(day),
): Promise<Finding> {
  const file = `${day}/${name}`
  if (error instanceof OtherManifest) {
    const kept = await folder.keepRefused(name, error.bytes)
    const message = `${error.message}; it is kept as ${kept}`
    return { code: 'manifest_not_logged', file, message }
  }
  return { code: error.code as FindingCode, file, message: error.message }
}

/** Works on several items at once. An error ends it, once nothing is in work any more: the lock is then released. */
async function eachAtOnce<T>(
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
