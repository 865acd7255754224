// Whether a log continues what was signed of it (FORMAT.md 17.6). Pure.
import { ArchiveError, naming } from '../errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, openCheckpoint } from './checkpoint.ts'
import { dayLeaf, type LogEntry } from './days.ts'
import type { Verifier } from './note.ts'
import { equal, rootOf } from './tree.ts'

/** What an archive has of its log, and the newest checkpoint that was kept elsewhere. */
export interface KnownLog {
  /** Null: there is no `log`. */
  entries: readonly LogEntry[] | null
  /** The signed note `checkpoint`. */
  published: string | null
  kept: string | null
}

export interface SignedCheckpoint extends Checkpoint {
  note: string
}

/** Whether anything was ever signed of this log. */
export function isStarted({ published, kept }: KnownLog): boolean {
  return published !== null || kept !== null
}

/**
 * The newest checkpoint, once the log is shown to continue all that are known.
 * @param own the log's own keys
 * @returns null when none was signed yet
 * @throws ArchiveError `log_missing`, `log_rewritten`
 */
export function newestCheckpoint(
  known: KnownLog,
  own: readonly Verifier[],
): SignedCheckpoint | null {
  if (!isStarted(known)) return null
  const { entries, published, kept } = known
  if (!entries)
    throw new ArchiveError(
      'log_missing',
      `${LOG_FILE}: is missing, and was signed; restore it with --repair, from a copy with --repair --from PLACE`,
    )
  const inDatabase = kept === null ? null : opened(kept, own, 'the checkpoint in the database')
  const here = published === null ? null : opened(published, own, CHECKPOINT_FILE)
  for (const checkpoint of [inDatabase, here]) if (checkpoint) refuseRewritten(entries, checkpoint)
  if (!inDatabase || !here) return inDatabase ?? here
  if (inDatabase.origin !== here.origin)
    throw rewritten(
      `${CHECKPOINT_FILE} is of ${here.origin}, the database's of ${inDatabase.origin}`,
    )
  // Of two of the same size, the one in the database was signed last.
  return here.size > inDatabase.size ? here : inDatabase
}

/** @throws ArchiveError `log_rewritten` unless the log begins with the leaves of the checkpoint */
export function refuseRewritten(entries: readonly LogEntry[], signed: Checkpoint): void {
  const { size } = signed
  if (size > entries.length)
    throw rewritten(`${LOG_FILE} has ${entries.length} lines, and ${size} were signed`)
  if (!continues(entries, signed))
    throw rewritten(`the first ${size} lines of ${LOG_FILE} are not those that were signed`)
}

/** Whether a log begins with the leaves of a checkpoint. */
export function continues(entries: readonly LogEntry[], { size, root }: Checkpoint): boolean {
  return size <= entries.length && equal(rootOf(entries.slice(0, size).map(dayLeaf)), root)
}

function opened(note: string, own: readonly Verifier[], name: string): SignedCheckpoint {
  const open = () => ({ ...openCheckpoint(Buffer.from(note), own), note })
  return naming(name, open, 'log_rewritten')
}

function rewritten(message: string): ArchiveError {
  return new ArchiveError('log_rewritten', message)
}
