// Reads the source's log and checks that it is complete, signed, and continues the mirror's own.
import { ArchiveError, naming } from '../errors.ts'
import { MAX_LOG_BYTES, MAX_NOTE_BYTES } from '../format/bounds.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { type Checkpoint, openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { type LogEntry, logBytes, parseLog } from '../log/days.ts'
import { parseKeys, type Verifier } from '../log/note.ts'
import type { Client } from './client.ts'
import type { MirrorFolder } from './folder.ts'
import type { Origin } from './origin.ts'

/** The files of a log at one moment. */
export interface History {
  /** The checkpoint. */
  note: Uint8Array
  key: Uint8Array
  /** Only the signed entries. */
  entries: LogEntry[]
}

/** The source's history is one that the mirror must not follow. */
export class HistoryRejected extends Error {
  override name = 'HistoryRejected'
  readonly code: ArchiveError['code']
  constructor({ code, message }: ArchiveError) {
    super(message)
    this.code = code
  }
}

/**
 * Reads and checks the log at an origin.
 * @param note the checkpoint, which must be read before the log
 * @param trusted keys of which one must have signed; if null, the mirror's own, or for a new mirror the origin's
 * @throws FetchFailure
 * @throws HistoryRejected after the contradicting files are stored
 */
export async function readHistory(
  client: Client,
  origin: Origin,
  note: Uint8Array,
  folder: MirrorFolder,
  trusted: readonly Verifier[] | null,
): Promise<History> {
  const log = await client.read(origin.root(LOG_FILE), MAX_LOG_BYTES)
  const key = await client.read(origin.root(KEY_FILE), MAX_NOTE_BYTES)
  const ownKey = await folder.root(KEY_FILE)
  const ownNote = await folder.root(CHECKPOINT_FILE)
  try {
    const checkpoint = naming(CHECKPOINT_FILE, () => parseCheckpoint(note))
    const originKeys = naming(KEY_FILE, () => parseKeys(key))
    const keys = trusted ?? (ownKey ? parseKeys(ownKey) : originKeys)
    for (const known of [keys, originKeys])
      naming(CHECKPOINT_FILE, () => openCheckpoint(note, known))
    const all = naming(LOG_FILE, () => parseLog(log))
    demandContinued(all, checkpoint)
    const entries = all.slice(0, checkpoint.size)
    if (ownNote) demandSameLog(parseCheckpoint(ownNote), checkpoint, entries)
    return { note, key, entries }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    // Without a history of our own there is nothing to contradict, and thus no evidence.
    if (ownNote) {
      await folder.keepRefused(CHECKPOINT_FILE, note)
      await folder.keepRefused(LOG_FILE, log)
    }
    throw new HistoryRejected(error)
  }
}

/** The bytes of `log` in a mirror, which has signed lines only. */
export function signedLog({ entries }: History): Uint8Array {
  return logBytes(entries)
}

/** @throws ArchiveError `log_rewritten` unless the log continues the mirror's own checkpoint */
function demandSameLog(own: Checkpoint, theirs: Checkpoint, entries: readonly LogEntry[]): void {
  if (own.origin !== theirs.origin)
    throw new ArchiveError(
      'log_rewritten',
      `${CHECKPOINT_FILE} is of ${theirs.origin}, this mirror's of ${own.origin}`,
    )
  demandContinued(entries, own)
}
