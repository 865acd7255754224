// Opens a log of days as far as its checkpoint signs it (FORMAT.md 15, 16).
import { ArchiveError, type ArchiveErrorCode, orElse } from '../base/errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { type Leaf, type LogEntry, parseLog } from '../log/days.ts'
import type { Verifier } from '../log/note.ts'
import { errorOf, type ReadablePlace } from '../place/place.ts'

export interface SignedLog {
  /** The checkpoint as a signed note. */
  note: Uint8Array
  head: Checkpoint
  /** Without the lines that are not signed yet. */
  entries: LogEntry[]
}

/** A log that one of its own keys has signed. */
export interface KeyedLog extends SignedLog {
  /** The verifier keys, newest first. */
  keys: string[]
  /** The newest leaf of each day. */
  newest: Map<string, Leaf>
}

/** A log that can be read, although nobody known may have signed it. */
export interface ReadLog extends SignedLog {
  /** All lines, those that are not signed yet included. */
  lines: LogEntry[]
  /** The rules that its files break. */
  problems: { file: string; error: ArchiveError }[]
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
  const read = await readLogFiles(note, log, trust)
  for (const { file, error } of read.problems) {
    // That the log is not continued is said of it by name.
    if (error.code === 'log_rewritten') throw error
    throw new ArchiveError(error.code, `${file}: ${error.message}`, { cause: error })
  }
  return read as ReadLog
}

/** Like `openLogFiles`, but returns the problems; nothing else if a file is not of its form. */
export async function readLogFiles(
  note: Uint8Array,
  log: Uint8Array,
  trust: Trust,
): Promise<ReadLog | Pick<ReadLog, 'problems'>> {
  const problems: ReadLog['problems'] = []
  const attempt = <T>(file: string, work: () => T): T | null =>
    orElse(work, (error) => {
      problems.push({ file, error })
      return null
    })
  const head = attempt(CHECKPOINT_FILE, () => parseCheckpoint(note))
  const lines = attempt(LOG_FILE, () => parseLog(log))
  if (!head || !lines) return { problems }
  const keys = await trust(head.origin, lines)
  attempt(CHECKPOINT_FILE, () => openCheckpoint(note, keys))
  attempt(LOG_FILE, () => demandContinued(lines, head))
  return { note, head, entries: lines.slice(0, head.size), lines, problems }
}
