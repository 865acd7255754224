// Reads the log of days: the leaves that the checkpoint has signed (FORMAT.md 17 to 19), and how many witnesses have
// signed it, for the page of days and the operator's status (WRITING.md 5).
import { isArchiveError, naming } from '../../archive/base/errors.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../../archive/format/paths.ts'
import type { Checkpoint } from '../../archive/log/checkpoint.ts'
import { type LogEntry, newestDay, newestLeaves } from '../../archive/log/days.ts'
import { parseKeys } from '../../archive/log/note.ts'
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import { witnessedBy, witnessLine } from '../../archive/log/witnessed.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import { openLogFiles } from '../../archive/reading/signed-log.ts'

/** The leaves that the current checkpoint has signed. */
export interface SignedLog {
  checkpoint: Checkpoint
  /** The checkpoint file, verbatim. */
  note: string
  /** The verifier keys, newest first. */
  keys: string[]
  /** The newest leaf of each day. */
  newest: Map<string, LogEntry & { index: number }>
}

/** Reads the log and caches it until the checkpoint changes. */
export class LogReader {
  readonly #archive: ArchiveReader
  #cached: SignedLog | null = null

  constructor(archive: ArchiveReader) {
    this.#archive = archive
  }

  /**
   * Returns the log of the current checkpoint, or null if there is none yet.
   * @throws ArchiveError if one of its files is damaged, or none of its keys has signed it
   */
  async read(): Promise<SignedLog | null> {
    // Read the checkpoint first, so that the log read after it has at least as many leaves.
    const note = await this.#text(CHECKPOINT_FILE)
    if (note === null) return null
    if (this.#cached?.note === note) return this.#cached
    const [log, keys] = [await this.#archive.logFile(LOG_FILE), await this.#text(KEY_FILE)]
    if (!log || keys === null) return null
    const trusted = () => naming(KEY_FILE, () => parseKeys(Buffer.from(keys)))
    const { head, entries } = await openLogFiles(Buffer.from(note), log, trusted)
    this.#cached = {
      checkpoint: head,
      note,
      keys: keys.split('\n').filter((line) => line !== ''),
      newest: newestLeaves(entries),
    }
    return this.#cached
  }

  async #text(name: typeof CHECKPOINT_FILE | typeof KEY_FILE): Promise<string | null> {
    const bytes = await this.#archive.logFile(name)
    return bytes && Buffer.from(bytes).toString()
  }
}

/**
 * Returns for example `signed, 1 of 2 witnesses; no quorum`.
 * @param now wall-clock time [ms since 1970]
 * @returns null without a log or a policy
 */
export function witnessSummary(
  log: Pick<SignedLog, 'note' | 'newest'> | null,
  policy: WitnessPolicy | null,
  now: number,
): string | null {
  if (!log || !policy) return null
  const day = newestDay(log.newest.keys())
  const dayEnd = day === null ? null : daySpan(day).to
  try {
    return witnessLine(witnessedBy(Buffer.from(log.note), policy, { dayEnd, now }))
  } catch (error) {
    if (isArchiveError(error, 'wrong_signature')) return `${error.message}; no quorum`
    throw error
  }
}
