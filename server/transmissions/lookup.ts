// Looks up what a request names in the archive: days, a day or one of its files, or the reason why it is absent. Reads can
// be switched off, and their errors never show a path to a visitor.
import type { Logger } from 'pino'
import { type ArchiveError, isArchiveError, naming, nullIf } from '../../archive/base/errors.ts'
import { dayOf } from '../../archive/format/calendar.ts'
import type { Manifest } from '../../archive/format/manifest.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../../archive/format/paths.ts'
import { parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { parseLog } from '../../archive/log/days.ts'
import { parseKeys } from '../../archive/log/note.ts'
import type { ArchiveReader, LogFileName } from '../../archive/reading/reader.ts'
import { readBeginning } from '../data/first-day.ts'
import type { Database } from '../database/database.ts'
import { answerText } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { Handler } from '../http/mount.ts'
import type { Clock } from '../system/system.ts'
import { Problem } from '../wire/problem.ts'
import { readLimit } from '../wire/query.ts'
import { DAYS_SHOWN, isPastDay, readDayBefore, whyNotArchived } from './rules.ts'

export interface ArchiveDeps {
  archive: ArchiveReader
  clock: Clock
  log: Logger
  modes: {
    /** @throws Problem archive_unavailable while the archive's reads are switched off */
    admitRead(): Promise<void>
  }
}

export interface LookupDeps extends ArchiveDeps {
  /** The next scheduled run of the pipeline; null when none is scheduled. */
  nextSnapshot(): Date | null
  database: Database
}

type DatedArchive = Pick<ArchiveDeps, 'archive' | 'clock'>

const RETRY_S = '60'

/**
 * Reads the archive if reads are admitted.
 * @throws Problem archive_unavailable if they are not, or if the archive is missing or damaged
 */
export async function guard<T>(deps: ArchiveDeps, read: () => Promise<T>): Promise<T> {
  await deps.modes.admitRead()
  try {
    return await read()
  } catch (error) {
    if (!isArchiveError(error)) throw error
    logDamage(deps.log, error)
    const message =
      error.code === 'archive_unavailable'
        ? 'the archive cannot be read now'
        : 'this part of the archive is damaged, or of a later version'
    throw new Problem('archive_unavailable', message, { 'retry-after': RETRY_S })
  }
}

/** Logs damage for the operator; visitors never see the details. */
export function logDamage(log: Logger, error: ArchiveError): void {
  log.error({ code: error.code }, `the archive: ${error.message}`)
}

/** Like `guard`, but returns null while the archive is switched off, damaged or unreadable. */
export async function ifReadable<T>(deps: ArchiveDeps, read: () => Promise<T>): Promise<T | null> {
  try {
    return await guard(deps, read)
  } catch (error) {
    if (error instanceof Problem && error.code === 'archive_unavailable') return null
    throw error
  }
}

/** Wraps handlers that read the archive; `json` and `text` respond with what is loaded, as it is. */
export function guardedBy(deps: ArchiveDeps) {
  const guarded =
    (handle: Handler): Handler =>
    (call, endpoint) =>
      guard(deps, async () => handle(call, endpoint))
  const sending =
    (kind: 'json' | 'text') =>
    (load: (call: Call) => Promise<string | Uint8Array>): Handler =>
      guarded(async (call, { cache }) => answerText(call, kind, await load(call), cache))
  return Object.assign(guarded, { json: sending('json'), text: sending('text') })
}

/** The sealed days up to today, ascending. A day dated in the future is not served at any address. */
export async function pastDays({ archive, clock }: DatedArchive): Promise<readonly string[]> {
  const days = await archive.days()
  const today = dayOf(clock.now())
  const end = days.findLastIndex((day) => day <= today) + 1
  return end === days.length ? days : days.slice(0, end)
}

/** Returns the page that `before` and `limit` select. @throws Problem invalid_day, invalid_limit */
export async function archivePage(deps: ArchiveDeps, query: URLSearchParams) {
  const before = readDayBefore(query)
  const limit = readLimit(query, DAYS_SHOWN)
  const days = await pastDays(deps)
  // Search from the end: the archive may have thousands of days, and most readers want recent ones.
  const end = before === undefined ? days.length : days.findLastIndex((day) => day < before) + 1
  const shown = days.slice(Math.max(0, end - limit), end).reverse()
  return {
    manifests: await readableDays(deps, shown),
    /** The `before` of the next page; null on the last page. */
    next_before: end > limit ? (shown.at(-1) as string) : null,
    /** Whether the page starts at the newest day of the archive; true if the archive is empty. */
    from_newest: end === days.length,
    limit,
  }
}

export type ArchivePage = Awaited<ReturnType<typeof archivePage>>

/** Reads the manifests of these archived days and omits damaged ones. */
export async function readableDays(
  deps: ArchiveDeps,
  days: readonly string[],
): Promise<Manifest[]> {
  const manifests = await Promise.all(days.map((day) => readable(deps, day)))
  return manifests.filter((manifest) => manifest !== null)
}

/** Returns null for a damaged manifest, which must not make the other days unavailable. */
async function readable({ archive, log }: ArchiveDeps, day: string): Promise<Manifest | null> {
  try {
    return (await archive.manifest(day))?.manifest ?? null
  } catch (error) {
    if (!isArchiveError(error) || error.code === 'archive_unavailable') throw error
    logDamage(log, error)
    return null
  }
}

/**
 * Returns the archived days before a day, and the nearest ones on either side (null if there is none). The day itself
 * need not be listed: the list of an object store is cached, so it can lack a day whose manifest is already readable.
 */
export async function neighbours(deps: DatedArchive, day: string) {
  const days = await pastDays(deps)
  const earlier = days.slice(0, days.findLastIndex((other) => other < day) + 1)
  return {
    earlier,
    older: earlier.at(-1) ?? null,
    newer: days.find((other) => other > day) ?? null,
  }
}

/** The newest archived day; undefined if none is archived. */
export async function newestDay(deps: LookupDeps): Promise<string | undefined> {
  return (await pastDays(deps)).at(-1)
}

/** Reads `<day>.json`. @throws Problem snapshot_not_found */
export async function archivedSnapshot(deps: LookupDeps, day = ''): Promise<Uint8Array> {
  const file = isPastDay(day, deps.clock.now()) ? await deps.archive.snapshot(day) : null
  return (file ?? (await notArchived(deps, day))).bytes
}

/** @throws Problem snapshot_not_found */
export async function latestSnapshot(deps: LookupDeps): Promise<Uint8Array> {
  const newest = await newestDay(deps)
  if (newest === undefined) throw new Problem('snapshot_not_found', 'no day has been archived yet')
  return archivedSnapshot(deps, newest)
}

/** @returns null when the day is not archived */
export async function findManifest(deps: LookupDeps, day: string) {
  return isPastDay(day, deps.clock.now()) ? deps.archive.manifest(day) : null
}

/** @throws Problem snapshot_not_found */
export async function archivedManifest(deps: LookupDeps, day = '') {
  return (await findManifest(deps, day)) ?? (await notArchived(deps, day))
}

/** Each parser throws if the bytes are not a valid file of that name. */
const LOG_PARSERS: Record<LogFileName, (bytes: Uint8Array) => unknown> = {
  [LOG_FILE]: parseLog,
  [CHECKPOINT_FILE]: parseCheckpoint,
  [KEY_FILE]: parseKeys,
}

/** @throws Problem not_found if there is no log yet; ArchiveError if the file is damaged */
export async function logFile({ archive }: LookupDeps, name: LogFileName): Promise<Uint8Array> {
  const bytes = await archive.logFile(name)
  if (!bytes) throw new Problem('not_found', 'this archive has no log yet')
  naming(name, () => LOG_PARSERS[name](bytes))
  return bytes
}

/** @throws Problem snapshot_not_found, always, with the reason */
export async function notArchived(deps: LookupDeps, day: string): Promise<never> {
  throw new Problem('snapshot_not_found', await whyAbsent(deps, day))
}

export async function whyAbsent(deps: LookupDeps, day: string): Promise<string> {
  const began = await readBeginning(deps.database.db)
  return whyNotArchived(day, {
    now: deps.clock.now(),
    newest: (await newestDay(deps)) ?? null,
    nextRun: deps.nextSnapshot(),
    isMirror: (await deps.archive.mirror()) !== null,
    firstDay: began === null ? null : dayOf(began),
  })
}

/**
 * Returns a function that returns whether a day is sealed; false if the archive cannot be read. A sealed day stays sealed,
 * so it is looked up only until then.
 */
export function sealedDays(
  archive: Pick<ArchiveReader, 'manifest'>,
  clock: Clock,
): (day: string) => Promise<boolean> {
  const known = new Set<string>()
  return async (day) => {
    if (known.has(day)) return true
    if (day >= dayOf(clock.now())) return false
    const sealed = await archive.manifest(day).catch(nullIf())
    if (sealed) known.add(day)
    return sealed !== null
  }
}
