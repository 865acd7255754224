// The log of days as the server reads it (FORMAT.md 17 to 19): which leaves are signed, and their proofs.
import { naming } from '../../archive/errors.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../../archive/format/paths.ts'
import { type Checkpoint, parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { dayLeaf, type LogEntry, newestLeaves, parseLog } from '../../archive/log/days.ts'
import { formatProof } from '../../archive/log/proof.ts'
import { type Hash, inclusionProof, type KnownRoots } from '../../archive/log/tree.ts'
import type { ArchiveReader } from '../../archive/reader.ts'
import { Problem } from '../wire/problem.ts'

/** The leaves that the present checkpoint has signed. */
export interface SignedLog {
  checkpoint: Checkpoint
  /** The checkpoint as it was published. */
  note: string
  /** The verifier keys, newest first. */
  keys: string[]
  newest: Map<string, LogEntry & { index: number }>
  leaves: Hash[]
  /** Nodes of the tree above the leaves, as far as proofs have needed them. */
  known: KnownRoots
}

export class LogReader {
  readonly #archive: ArchiveReader
  #kept: SignedLog | null = null

  constructor(archive: ArchiveReader) {
    this.#archive = archive
  }

  /**
   * `<day>.tlog-proof` of an archived day.
   * @throws Problem `not_found`, `proof_not_ready`
   */
  async proofOf(day: string): Promise<string> {
    const log = await this.read()
    if (!log) throw noLog()
    const leaf = log.newest.get(day)
    if (!leaf) throw new Problem('proof_not_ready', `${day} is not in the signed log yet`)
    const hashes = inclusionProof(log.leaves, leaf.index, log.known)
    return formatProof({ index: leaf.index, hashes, checkpoint: log.note })
  }

  /**
   * The log of the present checkpoint; null where there is none yet.
   * @throws ArchiveError when a file of it is damaged
   */
  async read(): Promise<SignedLog | null> {
    // The checkpoint first: the log then has at least its leaves.
    const note = await this.#text(CHECKPOINT_FILE)
    if (note === null) return null
    if (this.#kept?.note === note) return this.#kept
    const [log, keys] = [await this.#archive.logFile(LOG_FILE), await this.#text(KEY_FILE)]
    if (!log || keys === null) return null
    const checkpoint = naming(CHECKPOINT_FILE, () => parseCheckpoint(Buffer.from(note)))
    const entries = naming(LOG_FILE, () => parseLog(log)).slice(0, checkpoint.size)
    this.#kept = {
      checkpoint,
      note,
      keys: keys.split('\n').filter((line) => line !== ''),
      newest: newestLeaves(entries),
      leaves: entries.map(dayLeaf),
      known: new Map(),
    }
    return this.#kept
  }

  async #text(name: typeof CHECKPOINT_FILE | typeof KEY_FILE): Promise<string | null> {
    const bytes = await this.#archive.logFile(name)
    return bytes && Buffer.from(bytes).toString()
  }
}

export function noLog(): Problem {
  return new Problem('not_found', 'this archive has no log yet')
}
