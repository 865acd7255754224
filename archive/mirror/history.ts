// The log of the archive that is mirrored: whether it is whole and signed, and continues the mirror's own.
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

/** The files of a log, as one moment has them. */
export interface History {
  note: Uint8Array
  key: Uint8Array
  /** As many as the checkpoint has signed. */
  entries: LogEntry[]
}

/** A history that a mirror must not follow. */
export class HistoryRefused extends Error {
  override name = 'HistoryRefused'
  readonly code: ArchiveError['code']
  constructor({ code, message }: ArchiveError) {
    super(message)
    this.code = code
  }
}

/**
 * Reads the log at an origin, after its checkpoint.
 * @param trusted the keys that must have signed; null: those of the mirror, or else the origin's own
 * @throws FetchFailure; HistoryRefused, after what was refused is kept
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
    const keysThere = naming(KEY_FILE, () => parseKeys(key))
    const keys = trusted ?? (ownKey ? parseKeys(ownKey) : keysThere)
    for (const known of [keys, keysThere])
      naming(CHECKPOINT_FILE, () => openCheckpoint(note, known))
    const all = naming(LOG_FILE, () => parseLog(log))
    demandContinued(all, checkpoint)
    const entries = all.slice(0, checkpoint.size)
    if (ownNote) refuseOther(parseCheckpoint(ownNote), checkpoint, entries)
    return { note, key, entries }
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    // Evidence only where there is a history that it contradicts.
    if (ownNote) {
      await folder.keepRefused(CHECKPOINT_FILE, note)
      await folder.keepRefused(LOG_FILE, log)
    }
    throw new HistoryRefused(error)
  }
}

/** The bytes of `log` in a mirror: no line that is not signed. */
export function signedLog({ entries }: History): Uint8Array {
  return logBytes(entries)
}

/** @throws ArchiveError `log_rewritten` unless the log continues the mirror's own checkpoint */
function refuseOther(own: Checkpoint, theirs: Checkpoint, entries: readonly LogEntry[]): void {
  if (own.origin !== theirs.origin)
    throw new ArchiveError(
      'log_rewritten',
      `${CHECKPOINT_FILE} is of ${theirs.origin}, this mirror's of ${own.origin}`,
    )
  demandContinued(entries, own)
}
