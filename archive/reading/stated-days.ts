// Reads which message ids the days of an archive state, as far as a database has not been compared with them: one that
// was restored from an older copy must not give them to other messages (API.md 4.5, 9.14).
import { mapInOrder } from '../base/concurrently.ts'
import { ArchiveError, isArchiveError, naming, unreadableAs } from '../errors.ts'
import { daySpan, isDay } from '../format/calendar.ts'
import { sha256Of } from '../format/hash.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE, MIRROR_FILE, manifestKey } from '../format/paths.ts'
import type { Snapshot } from '../format/snapshot.ts'
import {
  type Checkpoint,
  checkpointText,
  openCheckpoint,
  parseCheckpoint,
  parseCheckpointText,
} from '../log/checkpoint.ts'
import { continues, demandContinued } from '../log/continuity.ts'
import { type LogEntry, newestLeaves, parseLog } from '../log/days.ts'
import { parseKeys, type Verifier } from '../log/note.ts'
import type { Place } from '../place/place.ts'
import { manifestOf, readSnapshot } from './day-files.ts'

/** Manifests that are read at the same time. */
const WIDTH = 8

/** How far an archive's days have been compared with a database. */
export interface Compared {
  /** The text of a checkpoint: all days in its log have been compared, */
  checkpoint: string
  /** except these, whose manifests could not be read. */
  unread: readonly string[]
}

/** What a database knows about an archive. */
export interface Known {
  /** The newest checkpoint that a run has stored in it; null if there is none. */
  checkpoint: string | null
  /** Null before the first comparison. */
  compared: Compared | null
}

/** A sealed day, and the largest id of its messages. */
export interface StatedDay {
  day: string
  lastId: bigint
}

export interface Statement {
  /** The days that the database has not been compared with, ascending; without those that have no messages. */
  days: readonly StatedDay[]
  /** The end of the newest sealed day that is over [ms since 1970]. */
  newestEnd: number
  compared: Compared
  /** Why manifests could not be read. */
  failures: readonly ArchiveError[]
}

/** An archive to read; its answers must not be cached. */
export type StatingPlace = Pick<Place, 'get' | 'folders' | 'entries'>

export interface StatementOptions {
  /** Returns the keys that sign a log of this origin, for a database without a checkpoint. */
  keysAtHand(origin: string): readonly Verifier[]
  /** Wall time [ms since 1970]. */
  now: number
}

/**
 * Reads what an archive states beyond what a database knows.
 * @returns null for a mirror, for an archive without a log, and for one that is older than the one that was compared
 * @throws ArchiveError `archive_unavailable`; another code if the log is damaged, is not a continuation of the one that
 *   the database knows, or is not signed by one of its keys
 */
export async function readStatement(
  archive: StatingPlace,
  known: Known,
  options: StatementOptions,
): Promise<Statement | null> {
  if (await archive.get(MIRROR_FILE)) return null
  const log = await readSignedLog(archive, known.checkpoint, options)
  const earlier = known.compared && parseCheckpointText(known.compared.checkpoint)
  if (!log || (earlier && isOlder(log.signed, earlier))) return null
  const leaves = newestLeaves(log.entries)
  const isSame = earlier?.origin === log.signed.origin && continues(log.entries, earlier)
  const pending = await pendingDays(archive, leaves, {
    from: isSame ? earlier.size : 0,
    unread: (isSame && known.compared?.unread) || [],
  })
  const read = await readManifests(archive, pending, leaves)
  const sealed = [...leaves.keys(), ...pending].filter((day) => daySpan(day).to <= options.now)
  const newest = sealed.sort().at(-1)
  return {
    days: read.days,
    newestEnd: newest === undefined ? 0 : daySpan(newest).to,
    compared: { checkpoint: checkpointText(log.signed), unread: read.unread },
    failures: read.failures,
  }
}

const isOlder = (signed: Checkpoint, compared: Checkpoint): boolean =>
  signed.origin === compared.origin && signed.size < compared.size

/** The leaves that a checkpoint has signed. */
interface TrustedLog {
  signed: Checkpoint
  entries: readonly LogEntry[]
}

async function readSignedLog(
  archive: StatingPlace,
  kept: string | null,
  { keysAtHand }: StatementOptions,
): Promise<TrustedLog | null> {
  // Read the checkpoint first, so that the log read after it has at least as many leaves.
  const note = await archive.get(CHECKPOINT_FILE)
  const log = await archive.get(LOG_FILE)
  if (!note || !log) {
    if (kept === null) return null
    const missing = note ? LOG_FILE : CHECKPOINT_FILE
    throw new ArchiveError('log_missing', `${missing} is missing, but the database knows the log`)
  }
  const entries = naming(LOG_FILE, () => parseLog(log.content))
  const { origin } = naming(CHECKPOINT_FILE, () => parseCheckpoint(note.content))
  const keys = keysAtHand(origin)
  const trusted =
    kept === null ? keys : await keysOf(archive, Buffer.from(kept), { entries, atHand: keys })
  const signed = naming(CHECKPOINT_FILE, () => openCheckpoint(note.content, trusted))
  demandContinued(entries, signed)
  return { signed, entries: entries.slice(0, signed.size) }
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
  const file = await archive.get(KEY_FILE)
  const named = file ? naming(KEY_FILE, () => parseKeys(file.content)) : []
  const checkpoint = naming('the checkpoint in the database', () =>
    openCheckpoint(kept, [...named, ...atHand]),
  )
  // An archive that is older than the database is for the next run to report.
  if (checkpoint.size <= entries.length) demandContinued(entries, checkpoint)
  return checkpoint.verified
}

/** Where an earlier comparison has ended. */
interface Progress {
  /** The number of leaves whose days were compared. */
  from: number
  /** Days of these that could not be read. */
  unread: readonly string[]
}

/**
 * The days to read: those with a leaf that was not compared, and those without a leaf, which the next run publishes as
 * they are.
 */
async function pendingDays(
  archive: StatingPlace,
  leaves: ReadonlyMap<string, { index: number }>,
  { from, unread }: Progress,
): Promise<string[]> {
  const logged = [...leaves].filter(([day, { index }]) => index >= from || unread.includes(day))
  const unlogged = (await archive.folders()).filter((name) => isDay(name) && !leaves.has(name))
  return [...logged.map(([day]) => day), ...unlogged].sort()
}

async function readManifests(
  archive: StatingPlace,
  pending: readonly string[],
  leaves: ReadonlyMap<string, LogEntry>,
) {
  const days: StatedDay[] = []
  const unread: string[] = []
  const failures: ArchiveError[] = []
  const results = mapInOrder(pending, WIDTH, (day) => lastIdOf(archive, day, leaves.get(day)))
  let next = 0
  for await (const result of results) {
    const day = pending[next++] as string
    if (typeof result === 'bigint') days.push({ day, lastId: result })
    if (!isArchiveError(result)) continue
    failures.push(result)
    if (leaves.has(day)) unread.push(day)
  }
  return { days, unread, failures }
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
  const file = await archive.get(key).catch(unreadableAs('invalid_manifest', key))
  if (!file && leaf) throw new ArchiveError('invalid_manifest', `${key}: is missing`)
  if (!file) return null
  // Another manifest need not be valid to be reported as another one.
  if (leaf && sha256Of(file.content) !== leaf.sha256)
    throw new ArchiveError('manifest_not_logged', `${key}: is not the manifest that was logged`)
  return manifestOf(file.content, key, day).manifest.snapshot
}
