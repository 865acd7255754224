// Reads which message ids the newest days of an archive state: a database that was restored from an older copy must not
// give them to other messages (API.md 4.5, 9.14).
import { ArchiveError, isArchiveError, naming } from '../base/errors.ts'
import { daySpan, isDay } from '../format/calendar.ts'
import { sha256Of } from '../format/hash.ts'
import { KEY_FILE, LOG_FILE, MIRROR_FILE, manifestKey } from '../format/paths.ts'
import { openCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { type LogEntry, newestLeaves } from '../log/days.ts'
import { parseKeys } from '../log/note.ts'
import { verifiersAtHand } from '../log/signing-keys.ts'
import { type Place, readExisting } from '../place/place.ts'
import { manifestOf, readSnapshot } from './day-files.ts'
import { openSignedLog, type Trust } from './signed-log.ts'

/** What a database knows. */
export interface Known {
  /** The newest checkpoint that a run has stored in it; null if there is none. */
  checkpoint: string | null
  /** The last message id that it has issued. */
  issued: bigint
}

export interface Statement {
  /** The days that state ids above those that the database has issued, ascending. */
  days: readonly string[]
  /** The largest of these ids; 0 if there is none. */
  lastId: bigint
  /** The end of the newest day that is over [ms since 1970]. */
  newestEnd: number
  /** Why the log or days could not be read. */
  problems: readonly ArchiveError[]
}

/** An archive to read; its answers must not be cached. */
export type StatingPlace = Pick<Place, 'name' | 'nameOf' | 'read' | 'folders'>

export interface StatementOptions {
  /** The private keys whose log is trusted by a database without a checkpoint; the file may be missing. */
  signingKeyFile: string
  /** Wall time [ms since 1970]. */
  now: number
}

/**
 * Reads what an archive states beyond what a database knows: its days from the newest back to the first that states
 * nothing new. Ids ascend with days (FORMAT.md 22.3, 23.3), so neither do the days before it. Nor does a mirror, an archive
 * without a log, or one whose log is damaged, is not a continuation of the one that the database knows, or is not signed by
 * one of its keys.
 * @throws ArchiveError `archive_unavailable`
 */
export async function readStatement(
  archive: StatingPlace,
  { checkpoint, issued }: Known,
  { signingKeyFile, now }: StatementOptions,
): Promise<Statement> {
  const problems: ArchiveError[] = []
  const unlessDamaged = (error: unknown): null => {
    if (!isArchiveError(error) || error.code === 'archive_unavailable') throw error
    problems.push(error)
    return null
  }
  const days: string[] = []
  let [lastId, newestEnd] = [0n, 0]
  const log = await readLog(archive, checkpoint, signingKeyFile).catch(unlessDamaged)
  const leaves = newestLeaves(log?.entries ?? [])
  // A day without a leaf counts: the next run publishes it as it is.
  const found = new Set([...leaves.keys(), ...(log ? await archive.folders() : []).filter(isDay)])
  for (const day of [...found].sort().reverse()) {
    const leaf = leaves.get(day)
    const stated = await lastIdOf(archive, day, leaf).catch(unlessDamaged)
    if (stated !== null && stated > issued) days.unshift(day)
    if (stated !== null && stated > lastId) lastId = stated
    const end = daySpan(day).to
    // Of a day that a wrong clock has sealed ahead, earlier days may state later ids (OPERATING.md 6.1).
    if (end > now) continue
    newestEnd ||= end
    // Without messages, the day alone does not tell whether the database knows those of the days before.
    const isKnown = leaf && log && leaf.index < log.known
    if (stated !== null && stated <= issued && (stated > 0n || isKnown)) break
  }
  return { days, lastId, newestEnd, problems }
}

/**
 * Returns the leaves that a trusted key has signed, and how many of them the database knows. Null for a mirror, and if there
 * is no log.
 */
async function readLog(
  archive: StatingPlace,
  kept: string | null,
  signingKeyFile: string,
): Promise<{ entries: LogEntry[]; known: number } | null> {
  if (await readExisting(archive, MIRROR_FILE, 'invalid_mirror')) return null
  let known = 0
  const trust: Trust = async (origin, entries) => {
    const atHand = verifiersAtHand(signingKeyFile, origin)
    if (kept === null) return atHand
    const file = await readExisting(archive, KEY_FILE, 'invalid_key')
    const named = file ? naming(KEY_FILE, () => parseKeys(file.content)) : []
    const checkpoint = naming('the checkpoint in the database', () =>
      openCheckpoint(Buffer.from(kept), [...named, ...atHand]),
    )
    // An archive that is older than the database is for the next run to report.
    if (checkpoint.size <= entries.length) demandContinued(entries, checkpoint)
    known = checkpoint.size
    return checkpoint.verified
  }
  const log = await openSignedLog(archive, trust).catch((error) => {
    // The first run may be between two of its steps.
    if (kept === null && isArchiveError(error, 'log_missing')) return null
    throw error
  })
  if (!log && kept !== null)
    throw new ArchiveError('log_missing', `${LOG_FILE} is missing, but the database knows the log`)
  return log && { entries: log.entries, known }
}

/** Reads the largest message id of a day; 0 if it has no messages. A day without a leaf may have only its snapshot yet. */
async function lastIdOf(archive: StatingPlace, day: string, leaf: LogEntry | undefined) {
  const key = manifestKey(day)
  const file = await readExisting(archive, key, 'invalid_manifest')
  if (!file && leaf) throw new ArchiveError('invalid_manifest', `${key}: is missing`)
  // Another manifest need not be valid to be reported as another one.
  if (file && leaf && sha256Of(file.content) !== leaf.sha256)
    throw new ArchiveError('manifest_not_logged', `${key}: is not the manifest that was logged`)
  const { snapshot } = file
    ? manifestOf(file.content, day)
    : ((await readSnapshot(archive, day)) ?? {})
  return BigInt(snapshot?.records.last_message_id ?? 0)
}
