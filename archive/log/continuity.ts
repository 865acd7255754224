// Checks that a log continues the checkpoints that were signed (WRITING.md 1.7). Pure.
import { ArchiveError, naming, orElse } from '../base/errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, openCheckpoint } from './checkpoint.ts'
import { dayLeaf, type LogEntry } from './days.ts'
import type { Verifier } from './note.ts'
import { equal, rootOf } from './tree.ts'

/** The log of an archive, and its newest checkpoint in both places. */
export interface KnownLog {
  /** Null if there is no `log`. */
  entries: readonly LogEntry[] | null
  /** The signed note in `checkpoint`. */
  published: string | null
  /** The signed note in the database. */
  kept: string | null
}

export interface SignedCheckpoint extends Checkpoint {
  note: string
}

/** Whether any checkpoint of this log was signed. */
export function isStarted({ published, kept }: KnownLog): boolean {
  return published !== null || kept !== null
}

/**
 * Returns the newest checkpoint, after checking that the log continues every known one.
 * @param own the log's own keys
 * @returns null if none was signed yet
 * @throws ArchiveError `log_missing`, `log_rewritten`
 */
export function newestCheckpoint(
  known: KnownLog,
  own: readonly Verifier[],
): SignedCheckpoint | null {
  if (!isStarted(known)) return null
  const { entries, published, kept } = known
  if (!entries)
    throw new ArchiveError('log_missing', `${LOG_FILE}: is missing, but was signed; ${RESTORE}`)
  const inDatabase = kept === null ? null : opened(kept, own, 'the checkpoint in the database')
  const here =
    published === null ? null : namingRemedy(() => opened(published, own, CHECKPOINT_FILE))
  for (const checkpoint of [inDatabase, here])
    if (checkpoint) namingRemedy(() => demandContinued(entries, checkpoint))
  if (!inDatabase || !here) return inDatabase ?? here
  if (inDatabase.origin !== here.origin)
    throw rewritten(
      `${CHECKPOINT_FILE} is of ${here.origin}, the database's of ${inDatabase.origin}`,
    )
  // At equal size the one in the database is newer, because it is written first.
  return here.size > inDatabase.size ? here : inDatabase
}

/** The remedies for a log or checkpoint that is missing or damaged here (WRITING.md 2.6). */
const RESTORE =
  'restore it with npm run snapshot -- --repair, or from a mirror with --repair --from MIRROR'
export const RESTORE_FROM_MIRROR =
  'restore it from a mirror with npm run snapshot -- --repair --from MIRROR'

/** Runs a check of this archive's own log. @throws ArchiveError `log_rewritten` that names the remedy */
export function namingRemedy<T>(check: () => T): T {
  return orElse(check, (error) => {
    throw new ArchiveError('log_rewritten', `${error.message}; ${RESTORE}`, { cause: error })
  })
}

/** @throws ArchiveError `log_rewritten` unless the log begins with the leaves of the checkpoint */
export function demandContinued(entries: readonly LogEntry[], signed: Checkpoint): void {
  const { size } = signed
  if (size > entries.length)
    throw rewritten(`${LOG_FILE} has ${entries.length} lines, and ${size} were signed`)
  if (!continues(entries, signed))
    throw rewritten(`the first ${size} lines of ${LOG_FILE} are not those that were signed`)
}

/** Whether the log begins with the leaves of the checkpoint. */
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
