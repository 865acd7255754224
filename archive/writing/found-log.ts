// Reads the state of an archive's log before a run appends to it.
import { naming } from '../base/errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import { type KnownLog, namingRemedy } from '../log/continuity.ts'
import { parseLog } from '../log/days.ts'
import { type Place, readExisting, textOf } from '../place/place.ts'

/** Stores the newest checkpoint outside of the archive. */
export interface CheckpointKeeper {
  read(): Promise<string | null>
  /** Compares and swaps. @returns false, without a change, unless the stored checkpoint is `before` */
  replace(before: string | null, after: string): Promise<boolean>
}

/** A log as it was read, with the version of its file. */
export interface FoundLog extends KnownLog {
  /** Null when there is no `log`. */
  version: string | null
}

/**
 * Reads an archive's log and its checkpoints. Reads the checkpoints first, so that the log has at least their leaves
 * even if another run appends meanwhile.
 * @throws ArchiveError `log_rewritten` when `log` is malformed
 */
export async function findLog(place: Place, keeper: CheckpointKeeper): Promise<FoundLog> {
  const kept = await keeper.read()
  const published = await readExisting(place, CHECKPOINT_FILE, 'log_rewritten')
  const log = await readExisting(place, LOG_FILE, 'log_rewritten')
  return {
    entries: log && namingRemedy(() => naming(LOG_FILE, () => parseLog(log.content))),
    version: log?.version ?? null,
    published: published && textOf(published),
    kept,
  }
}
