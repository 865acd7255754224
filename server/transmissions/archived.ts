// Looks up what a request names in the archive: a day or one of its files, or the reason why it is absent.
import { isArchiveError, naming } from '../../archive/errors.ts'
import { dayOf } from '../../archive/format/calendar.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../../archive/format/paths.ts'
import { parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { parseLog } from '../../archive/log/days.ts'
import { parseKeys } from '../../archive/log/note.ts'
import type { LogFileName, OpenMedium } from '../../archive/reading/reader.ts'
import { readBeginning } from '../data/first-day.ts'
import type { Database } from '../database/database.ts'
import type { Call } from '../http/call.ts'
import { Problem } from '../wire/problem.ts'
import type { LogReader, SignedLog } from './day-log.ts'
import { type ListDeps, logDamage, pastDays } from './listing.ts'
import { isPastDay, whyNotArchived } from './rules.ts'

export interface ArchivedDeps extends ListDeps {
  /** The next scheduled run of the pipeline; null when none is scheduled. */
  nextSnapshot(): Date | null
  database: Database
}

/** The newest archived day; undefined if none is archived. */
export async function newestDay(deps: ArchivedDeps): Promise<string | undefined> {
  return (await pastDays(deps)).at(-1)
}

/** Reads `<day>.json`. @throws Problem snapshot_not_found */
export async function archivedSnapshot(deps: ArchivedDeps, day = ''): Promise<Uint8Array> {
  const file = isPastDay(day, deps.clock.now()) ? await deps.archive.snapshot(day) : null
  return (file ?? (await notArchived(deps, day))).bytes
}

/** @throws Problem snapshot_not_found */
export async function latestSnapshot(deps: ArchivedDeps): Promise<Uint8Array> {
  const newest = await newestDay(deps)
  if (newest === undefined) throw new Problem('snapshot_not_found', 'no day has been archived yet')
  return archivedSnapshot(deps, newest)
}

/** @returns null when the day is not archived */
export async function findManifest(deps: ArchivedDeps, day: string) {
  return isPastDay(day, deps.clock.now()) ? deps.archive.manifest(day) : null
}

/** @throws Problem snapshot_not_found */
export async function archivedManifest(deps: ArchivedDeps, day = '') {
  return (await findManifest(deps, day)) ?? (await notArchived(deps, day))
}

/** @throws Problem media_not_found */
export async function archivedMedium(deps: ArchivedDeps, { params }: Call): Promise<OpenMedium> {
  const { day = '', filename = '' } = params
  const medium = isPastDay(day, deps.clock.now())
    ? await deps.archive.openMedia(day, filename)
    : null
  if (!medium) throw new Problem('media_not_found', 'the archive has no such file')
  return medium
}

/** Each parser throws if the bytes are not a valid file of that name. */
const LOG_PARSERS: Record<LogFileName, (bytes: Uint8Array) => unknown> = {
  [LOG_FILE]: parseLog,
  [CHECKPOINT_FILE]: parseCheckpoint,
  [KEY_FILE]: parseKeys,
}

/** @throws Problem not_found if there is no log yet; ArchiveError if the file is damaged */
export async function logFile({ archive }: ArchivedDeps, name: LogFileName): Promise<Uint8Array> {
  const bytes = await archive.logFile(name)
  if (!bytes) throw new Problem('not_found', 'this archive has no log yet')
  naming(name, () => LOG_PARSERS[name](bytes))
  return bytes
}

/** Reads the log for a page. A damaged log is reported and gives null, because the page can still show the days. */
export async function signedLog(
  log: LogReader,
  { log: processLog }: ArchivedDeps,
): Promise<SignedLog | null> {
  try {
    return await log.read()
  } catch (error) {
    if (!isArchiveError(error)) throw error
    logDamage(processLog, error)
    return null
  }
}

/** @throws Problem snapshot_not_found, always, with the reason */
export async function notArchived(deps: ArchivedDeps, day: string): Promise<never> {
  throw new Problem('snapshot_not_found', await whyAbsent(deps, day))
}

/** Explains to a person why a day is not archived. */
export async function whyAbsent(deps: ArchivedDeps, day: string): Promise<string> {
  const began = await readBeginning(deps.database.db)
  return whyNotArchived(day, {
    now: deps.clock.now(),
    newest: (await newestDay(deps)) ?? null,
    nextRun: deps.nextSnapshot(),
    isMirror: (await deps.archive.mirror()) !== null,
    firstDay: began === null ? null : dayOf(began),
  })
}
