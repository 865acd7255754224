// Creates and updates a mirror of an archive (COMMANDS.md 4). The caller holds the folder's lock.
//
// The order of steps, so that a kill at any moment leaves only verified files under their names:
//   1. the log         is read and compared with the mirror's own, but not written yet.
//   2. `mirror.json`   is written; from now on the folder is a mirror.
//   3. manifests       of incomplete days are checked against the log, and staged.
//   4. media           are downloaded to partial files, and renamed once their hashes match.
//   5. each day        gets `<day>.json`, then its manifest.
//   6. check files     are written, then `log`, `key` and `checkpoint`.
//   7. records         are brought up to date, if the mirror keeps them (day-records.ts).
import { forEachConcurrently } from '../base/concurrently.ts'
import { asWriteError, isArchiveError, naming } from '../base/errors.ts'
import { absolutePath } from '../base/folders.ts'
import { isSystemError } from '../base/system-error.ts'
import type { NamedFile } from '../format/manifest.ts'
import {
  isDaySelected,
  type MirrorSettings,
  mirrorBytes,
  type Selection,
} from '../format/mirror.ts'
import {
  CHECKPOINT_FILE,
  KEY_FILE,
  keyOf,
  LOG_FILE,
  leavesKey,
  MIRROR_FILE,
  manifestKey,
} from '../format/paths.ts'
import { Client, type ClientOptions } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { logBytes, newestOf } from '../log/days.ts'
import { formatVkey, parseVkey, type Verifier } from '../log/note.ts'
import { REREAD_AFTER_MS, rereading } from '../log/rereading.ts'
import { download, removePart } from '../place/download.ts'
import { type FolderPlace, folderPlace } from '../place/folder.ts'
import { locateLog } from '../place/locate.ts'
import { update } from '../place/place.ts'
import type { ServedPlace } from '../place/served.ts'
import { ArchiveReader } from '../reading/reader.ts'
import { type Finding, type FindingCode, findingFor, isNote } from '../verify/findings.ts'
import { checkFreshness, type Freshness } from '../verify/freshness.ts'
import type { WitnessDemand } from '../verify/witnesses.ts'
import { writeSums } from '../writing/derived.ts'
import { fetchLeaves } from './day-leaves.ts'
import { mirrorRecords } from './day-records.ts'
import { incoming, settingsFor } from './folder.ts'
import { compareWithPeers, type History, HistoryRejected, readHistory } from './history.ts'
import {
  type DayPlan,
  doubtfulDays,
  findingOf,
  isOriginError,
  type LoggedDay,
  loggedDays,
  type OriginError,
  OtherManifest,
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
  /** The keys, witnesses and quorum that the caller trusts. */
  witnesses?: WitnessDemand | undefined
  /** How old the newest day may be. */
  freshness?: Freshness | undefined
  /** The addresses of other copies of the log, which must be the same. */
  peers?: readonly string[]
  /** The number of days fetched concurrently. */
  jobs: number
  client?: ClientOptions
  /** @param done of `total` [bytes] */
  onProgress?: (done: number, total: number, day: string) => void
  /** @param done of `total` days whose records are requested */
  onRecords?: (done: number, total: number, day: string) => void
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
  /** The number of days whose records were fetched; absent unless the mirror keeps them. */
  records?: number
  findings: Finding[]
}

/**
 * Brings a mirror up to date.
 * @throws ArchiveError if the folder cannot be a mirror or cannot be written
 */
export async function mirrorArchive(options: MirrorOptions): Promise<MirrorReport> {
  const mirror = folderPlace(absolutePath(options.dir))
  const settings = await settingsFor(mirror, options.source, options.selection)
  return new MirrorRun(mirror, settings, options).run()
}

/** Findings of the comparison with peers that keep a mirror from following a log; a stale log may be followed. */
const REFUSING: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'split_view',
  'unreachable',
  'invalid_checkpoint',
])

/** What the source's log asks for. */
interface Found {
  origin: ServedPlace
  history: History
  /** Of incomplete days, ascending. */
  plans: DayPlan[]
}

class MirrorRun {
  readonly #mirror: FolderPlace
  readonly #settings: MirrorSettings
  readonly #options: MirrorOptions
  readonly #client: Client
  /** Those in `mirror.json` before the run. */
  readonly #storedKeys: Verifier[] | null
  readonly #report: MirrorReport
  /** The findings about the log that was read last. */
  #ofLog: Finding[] = []

  /** @throws ArchiveError `invalid_mirror` */
  constructor(mirror: FolderPlace, settings: MirrorSettings, options: MirrorOptions) {
    this.#mirror = mirror
    this.#settings = settings
    this.#options = options
    this.#client = new Client(options.client)
    const parsed = (vkey: string) => naming(MIRROR_FILE, () => parseVkey(vkey), 'invalid_mirror')
    this.#storedKeys = settings.keys?.map(parsed) ?? null
    const { source } = options
    this.#report = { ok: false, source, days: 0, updated: 0, bytes: 0, findings: [] }
  }

  async run(): Promise<MirrorReport> {
    const report = this.#report
    try {
      const found = await this.#readAndPlan()
      if (found) await this.#complete(found)
    } catch (error) {
      // A system error concerns our folder; failures of the source have classes of their own.
      if (isSystemError(error)) throw asWriteError(error, this.#mirror.name)
      if (!(error instanceof FetchFailure) && !(error instanceof HistoryRejected)) throw error
      report.findings.push(
        error instanceof FetchFailure
          ? findingFor(error.url ?? report.source, error)
          : findingFor(error.ownFile ?? report.source, error.cause),
      )
    }
    report.findings.unshift(...this.#ofLog)
    report.ok = report.findings.every(isNote)
    return report
  }

  /** @returns null if the history must not be followed */
  async #readAndPlan(): Promise<Found | null> {
    const read = async () => {
      const { place: origin, note } = await locateLog(this.#client, this.#options.source)
      const history = await this.#readHistory(origin, note)
      if (!history) return null
      const days = this.#selectedDays(history)
      this.#report.days = days.length
      return { origin, history, ...(await this.#planDays(origin, days)) }
    }
    // A day may have been upgraded after we read the log and before we read its manifest.
    const found = await rereading(
      read,
      (now) => !now?.failures.some(({ error }) => error instanceof OtherManifest),
      REREAD_AFTER_MS,
      (ms) => this.#client.pause(ms),
    )
    if (!found) return null
    const { failures, ...rest } = found
    for (const { day, error } of failures)
      this.#report.findings.push(await findingOf(this.#mirror, manifestKey(day), error))
    const isRejected = failures.some(({ error }) => isArchiveError(error, 'manifest_not_logged'))
    return isRejected ? null : rest
  }

  /**
   * Reads the source's log and then writes `mirror.json`: before any other file, so that no pipeline takes the folder
   * for its own archive, but only now, so that a wrong address does not fix the settings.
   * @returns null if the peers have another history, or none can be compared
   */
  async #readHistory(origin: ServedPlace, note: Uint8Array): Promise<History | null> {
    const { keys: given, witnesses, peers = [], client, freshness } = this.#options
    const stored = this.#storedKeys
    const trusted = { given, witnesses, stored }
    const history = await readHistory(origin, note, this.#mirror, trusted)
    const newest = newestOf(history.entries.map(({ day }) => day))
    this.#ofLog = [
      ...(history.pending ? [history.pending] : []),
      ...checkFreshness(newest, origin.name + origin.nameOf(LOG_FILE), freshness),
      ...(await compareWithPeers(history, this.#mirror, peers, client)),
    ]
    if (this.#ofLog.some(({ code }) => REFUSING.has(code))) return null
    if (stored || history.areDemanded || history.hasOtherKeys)
      this.#settings.keys = history.keys.map(formatVkey)
    await update(this.#mirror, MIRROR_FILE, mirrorBytes(this.#settings))
    return history
  }

  /** The selected days of the log, ascending. */
  #selectedDays({ entries }: History): LoggedDay[] {
    return loggedDays(entries).filter(({ day }) => isDaySelected(this.#settings, day))
  }

  /** Plans the days concurrently. @returns plans of incomplete days, and failures; both ascending by day */
  async #planDays(origin: ServedPlace, days: readonly LoggedDay[]) {
    const doubtful = await doubtfulDays(origin, days)
    const context = { origin, mirror: this.#mirror, selection: this.#settings }
    const plans: DayPlan[] = []
    const failures: { day: string; error: OriginError }[] = []
    await forEachConcurrently(days, this.#options.jobs, async (logged) => {
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

  /** Downloads the missing files of each day and publishes it, then updates the files in the root. */
  async #complete({ origin, history, plans }: Found): Promise<void> {
    const { jobs, onProgress = () => {}, onRecords = () => {} } = this.#options
    const files = plans.flatMap(({ missing }) => missing)
    const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
    let done = 0
    await forEachConcurrently(plans, jobs, async (plan) => {
      const isComplete = await this.#fetchDay(origin, plan, (count) => {
        done += count
        onProgress(done, total, plan.day)
      })
      if (!isComplete) return
      await publishDay(this.#mirror, plan.day)
      this.#report.updated += 1
    })
    const mirror = this.#mirror
    const days = this.#selectedDays(history).map(({ day }) => day)
    await writeSums(mirror, new ArchiveReader(mirror), false, this.#settings.media)
    await update(mirror, LOG_FILE, logBytes(history.entries))
    await update(mirror, KEY_FILE, history.key)
    await update(mirror, CHECKPOINT_FILE, history.note)
    if (!this.#settings.records) return
    const records = await mirrorRecords({ origin, mirror, days, jobs, onProgress: onRecords })
    this.#report.records = records.fetched
    this.#report.findings.push(...records.findings)
  }

  /** Fetches the missing files of a day. @returns whether all of them have arrived; a finding states why one has not */
  async #fetchDay(
    origin: ServedPlace,
    { day, missing, records }: DayPlan,
    onBytes: (count: number) => void,
  ): Promise<boolean> {
    const findings: Finding[] = []
    const attempt = async (key: string, fetch: () => Promise<unknown>) => {
      try {
        await fetch()
      } catch (error) {
        if (!isOriginError(error)) throw error
        findings.push(await findingOf(this.#mirror, key, error))
      }
    }
    for (const file of missing)
      await attempt(keyOf(day, file.name), () => this.#fetchMedium(origin, day, file, onBytes))
    if (findings.length === 0)
      await attempt(leavesKey(day), () => fetchLeaves(origin, this.#mirror, day, records))
    this.#report.findings.push(...findings)
    return findings.length === 0
  }

  async #fetchMedium(
    origin: ServedPlace,
    day: string,
    file: NamedFile,
    onBytes: (count: number) => void,
  ): Promise<void> {
    const arriving = await incoming(this.#mirror, day, file)
    await download(origin, arriving, onBytes)
    await this.#mirror.moveIn(arriving.part, arriving.key)
    await removePart(arriving)
    this.#report.bytes += file.bytes
  }
}

const byDay = (a: { day: string }, b: { day: string }): number => (a.day < b.day ? -1 : 1)
