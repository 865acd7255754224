// Reads which message ids the newest days of an archive state: a database that was restored from an older copy must not
// give them to other messages (API.md 4.5, 9.14).
import { ArchiveError, isArchiveError, naming } from '../base/errors.ts'
import { daySpan, isDay } from '../format/calendar.ts'
import { sha256Of } from '../format/hash.ts'
import { KEY_FILE, LOG_FILE, MIRROR_FILE, manifestKey } from '../format/paths.ts'
import type { Snapshot } from '../format/snapshot.ts'
import { openCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { type LogEntry, newestLeaves } from '../log/days.ts'
import { parseKeys, type Verifier } from '../log/note.ts'
import { type Place, readExisting } from '../place/place.ts'
import { manifestOf, readSnapshot } from './day-files.ts'
import { openSignedLog } from './signed-log.ts'

/** What a database knows. */
export interface Known {
  /** The newest checkpoint that a run has stored in it; null if there is none. */
  checkpoint: string | null
  /** The last message id that it has issued. */
  issued: bigint
}

/** A sealed day, and the largest id of its messages. */
export interface StatedDay {
  day: string
  lastId: bigint
}

export interface Statement {
  /** The days that state ids above those that the database has issued, ascending. */
  days: readonly StatedDay[]
  /** The end of the newest day that is over [ms since 1970]. */
  newestEnd: number
  /** Why manifests could not be read. */
  failures: readonly ArchiveError[]
}

const NOTHING: Statement = { days: [], newestEnd: 0, failures: [] }

/** An archive to read; its answers must not be cached. */
export type StatingPlace = Pick<Place, 'name' | 'nameOf' | 'read' | 'folders'>

export interface StatementOptions {
  /** Returns the keys that sign a log of this origin, for a database without a checkpoint. */
  keysAtHand(origin: string): readonly Verifier[]
  /** Wall time [ms since 1970]. */
  now: number
}

/**
 * Reads what an archive states beyond what a database knows: the newest day with messages, and the days before it for as
 * long as their ids are above those that the database has issued. Ids ascend with days (FORMAT.md 24.3, 25.3), so the days
 * before these state nothing new. Neither does a mirror, nor an archive without a log.
 * @throws ArchiveError `archive_unavailable`; another code if the log is damaged, is not a continuation of the one that
 *   the database knows, or is not signed by one of its keys
 */
export async function readStatement(
  archive: StatingPlace,
  { checkpoint, issued }: Known,
  options: StatementOptions,
): Promise<Statement> {
  if (await readExisting(archive, MIRROR_FILE, 'invalid_mirror')) return NOTHING
  const entries = await readSignedLog(archive, checkpoint, options)
  if (!entries) return NOTHING
  const leaves = newestLeaves(entries)
  // A day without a leaf counts: the next run publishes it as it is.
  const found = new Set([...leaves.keys(), ...(await archive.folders()).filter(isDay)])
  const newestFirst = [...found].sort().reverse()
  const newestOver = newestFirst.find((day) => daySpan(day).to <= options.now)
  const days: StatedDay[] = []
  const failures: ArchiveError[] = []
  for (const day of newestFirst) {
    const lastId = await lastIdOf(archive, day, leaves.get(day))
    if (isArchiveError(lastId)) failures.push(lastId)
    else if (lastId !== null && lastId > issued) days.unshift({ day, lastId })
    // Of a day that a wrong clock has sealed ahead, earlier days may state later ids (OPERATING.md 6.1).
    else if (lastId !== null && daySpan(day).to <= options.now) break
  }
  return { days, newestEnd: newestOver === undefined ? 0 : daySpan(newestOver).to, failures }
}

/** Returns the leaves that a trusted key has signed; null if there is no log. */
async function readSignedLog(
  archive: StatingPlace,
  kept: string | null,
  { keysAtHand }: StatementOptions,
): Promise<LogEntry[] | null> {
  const trust = (origin: string, entries: readonly LogEntry[]) => {
    const atHand = keysAtHand(origin)
    return kept === null ? atHand : keysOf(archive, Buffer.from(kept), { entries, atHand })
  }
  const log = await openSignedLog(archive, trust).catch((error) => {
    // The first run may be between two of its steps.
    if (kept === null && isArchiveError(error, 'log_missing')) return null
    throw error
  })
  if (!log && kept !== null)
    throw new ArchiveError('log_missing', `${LOG_FILE} is missing, but the database knows the log`)
  return log?.entries ?? null
}

/**
 * Returns the keys that have signed the checkpoint in the database.
 * @throws ArchiveError unless the log continues that checkpoint
 */
async function keysOf(
  archive: StatingPlace,
  kept: Uint8Array,
  { entries, atHand }: { entries: readonly LogEntry[]; atHand: readonly Verifier[] },
): Promise<readonly Verifier[]> {
  const file = await readExisting(archive, KEY_FILE, 'invalid_key')
  const named = file ? naming(KEY_FILE, () => parseKeys(file.content)) : []
  const checkpoint = naming('the checkpoint in the database', () =>
    openCheckpoint(kept, [...named, ...atHand]),
  )
  // An archive that is older than the database is for the next run to report.
  if (checkpoint.size <= entries.length) demandContinued(entries, checkpoint)
  return checkpoint.verified
}

/**
 * Reads the largest message id of a day; null if it has no messages. A day without a
 * leaf may have only its snapshot yet.
 * @returns an error that concerns only this day
 * @throws ArchiveError `archive_unavailable`
 */
async function lastIdOf(
  archive: StatingPlace,
  day: string,
  leaf: LogEntry | undefined,
): Promise<bigint | null | ArchiveError> {
  try {
    const snapshot =
      (await sealedSnapshot(archive, day, leaf)) ?? (await readSnapshot(archive, day))?.snapshot
    const last = snapshot?.records.last_message_id ?? null
    return last === null ? null : BigInt(last)
  } catch (error) {
    if (isArchiveError(error) && error.code !== 'archive_unavailable') return error
    throw error
  }
}

/** @returns null if there is neither a manifest nor a leaf */
async function sealedSnapshot(
  archive: StatingPlace,
  day: string,
  leaf: LogEntry | undefined,
): Promise<Snapshot | null> {
  const key = manifestKey(day)
  const file = await readExisting(archive, key, 'invalid_manifest')
  if (!file && leaf) throw new ArchiveError('invalid_manifest', `${key}: is missing`)
  if (!file) return null
  // Another manifest need not be valid to be reported as another one.
  if (leaf && sha256Of(file.content) !== leaf.sha256)
    throw new ArchiveError('manifest_not_logged', `${key}: is not the manifest that was logged`)
  return manifestOf(file.content, key, day).manifest.snapshot
}
