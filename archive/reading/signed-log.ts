// Opens a log of days as far as its checkpoint signs it (FORMAT.md 17, 18).
import { type ArchiveErrorCode, naming } from '../base/errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { type LogEntry, parseLog } from '../log/days.ts'
import type { Verifier } from '../log/note.ts'
import { errorOf, type ReadablePlace } from '../place/place.ts'

export interface SignedLog {
  /** The checkpoint as a signed note. */
  note: Uint8Array
  head: Checkpoint
  /** Without the lines that are not signed yet. */
  entries: LogEntry[]
}

/** Returns the keys of which one must have signed the log of this origin. */
export type Trust = (
  origin: string,
  entries: readonly LogEntry[],
) => readonly Verifier[] | Promise<readonly Verifier[]>

/**
 * Reads and opens the log of an archive.
 * @returns null if it has neither a checkpoint nor a log
 * @throws ArchiveError `log_missing` if it has only one of them, `archive_unavailable`, or as `openLogFiles`
 */
export async function openSignedLog(place: ReadablePlace, trust: Trust): Promise<SignedLog | null> {
  // Read the checkpoint first, so that the log read after it has at least as many leaves.
  const [note, log] = [await place.read(CHECKPOINT_FILE), await place.read(LOG_FILE)]
  const isMissing = (file: typeof note) => 'problem' in file && file.problem.code === 'missing'
  if (isMissing(note) && isMissing(log)) return null
  const contentOf = (file: typeof note, name: string, code: ArchiveErrorCode) => {
    if (!('problem' in file)) return file.content
    throw errorOf(place, name, file, isMissing(file) ? 'log_missing' : code)
  }
  return openLogFiles(
    contentOf(note, CHECKPOINT_FILE, 'invalid_checkpoint'),
    contentOf(log, LOG_FILE, 'invalid_log'),
    trust,
  )
}

/**
 * Opens a log of which the files were read.
 * @throws ArchiveError that names the file, unless a trusted key has signed the checkpoint and the log has its leaves
 */
export async function openLogFiles(
  note: Uint8Array,
  log: Uint8Array,
  trust: Trust,
): Promise<SignedLog> {
  const { origin } = naming(CHECKPOINT_FILE, () => parseCheckpoint(note))
  const entries = naming(LOG_FILE, () => parseLog(log))
  const keys = await trust(origin, entries)
  const head = naming(CHECKPOINT_FILE, () => openCheckpoint(note, keys))
  demandContinued(entries, head)
  return { note, head, entries: entries.slice(0, head.size) }
}
