// Reads the log of days: the leaves that the checkpoint has signed, and their proofs (FORMAT.md 17 to 19).
import { naming } from '../../archive/errors.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../../archive/format/paths.ts'
import { type Checkpoint, parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { dayLeaf, type LogEntry, newestLeaves, parseLog } from '../../archive/log/days.ts'
import { formatProof } from '../../archive/log/proof.ts'
import { StoredTree } from '../../archive/log/stored-tree.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import { Problem } from '../wire/problem.ts'

/** The leaves that the current checkpoint has signed. */
export interface SignedLog {
  checkpoint: Checkpoint
  /** The checkpoint file, verbatim. */
  note: string
  /** The verifier keys, newest first. */
  keys: string[]
  /** The newest leaf of each day. */
  newest: Map<string, LogEntry & { index: number }>
  tree: StoredTree
}

/** Reads the log and caches it until the checkpoint changes. */
export class LogReader {
  readonly #archive: ArchiveReader
  #cached: SignedLog | null = null

  constructor(archive: ArchiveReader) {
    this.#archive = archive
  }

  /**
   * Composes `<day>.tlog-proof` for an archived day.
   * @throws Problem `not_found`, `proof_not_ready`
   */
  async proofOf(day: string): Promise<string> {
    const log = await this.read()
    if (!log) throw noLog()
    const leaf = log.newest.get(day)
    if (!leaf) throw new Problem('proof_not_ready', `${day} is not in the signed log yet`)
    const hashes = log.tree.proofOf(leaf.index)
    return formatProof({ index: leaf.index, hashes, checkpoint: log.note })
  }

  /**
   * Returns the log of the current checkpoint, or null if there is none yet.
   * @throws ArchiveError if one of its files is damaged
   */
  async read(): Promise<SignedLog | null> {
    // Read the checkpoint first, so that the log read after it has at least as many leaves.
    const note = await this.#text(CHECKPOINT_FILE)
    if (note === null) return null
    if (this.#cached?.note === note) return this.#cached
    const [log, keys] = [await this.#archive.logFile(LOG_FILE), await this.#text(KEY_FILE)]
    if (!log || keys === null) return null
    const checkpoint = naming(CHECKPOINT_FILE, () => parseCheckpoint(Buffer.from(note)))
    const entries = naming(LOG_FILE, () => parseLog(log)).slice(0, checkpoint.size)
    this.#cached = {
      checkpoint,
      note,
      keys: keys.split('\n').filter((line) => line !== ''),
      newest: newestLeaves(entries),
      tree: StoredTree.of(entries.map(dayLeaf)),
    }
    return this.#cached
  }

  async #text(name: typeof CHECKPOINT_FILE | typeof KEY_FILE): Promise<string | null> {
    const bytes = await this.#archive.logFile(name)
    return bytes && Buffer.from(bytes).toString()
  }
}

export function noLog(): Problem {
  return new Problem('not_found', 'this archive has no log yet')
}
