// What is known of an archive's log before a run appends to it.
import { naming } from '../errors.ts'
import { CHECKPOINT_FILE, LOG_FILE } from '../format/paths.ts'
import type { KnownLog } from '../log/continuity.ts'
import { parseLog } from '../log/days.ts'
import { type Place, textOf } from '../place/place.ts'

/** Where the newest checkpoint is kept outside of the archive. */
export interface CheckpointKeeper {
  read(): Promise<string | null>
  /** @returns false, and changes nothing, unless it keeps `before` */
  replace(before: string | null, after: string): Promise<boolean>
}

/** What is known of a log, and what its file was like when it was read. */
export interface FoundLog extends KnownLog {
  /** Null: there is no `log`. */
  version: string | null
}

/**
 * Reads what is known of an archive's log. The checkpoints first: the log then has at least their leaves, also where
 * another run appends meanwhile.
 * @throws ArchiveError `log_rewritten` when `log` is no log
 */
export async function findLog(place: Place, keeper: CheckpointKeeper): Promise<FoundLog> {
  const kept = await keeper.read()
  const published = await place.get(CHECKPOINT_FILE)
  const log = await place.get(LOG_FILE)
  return {
    entries: log && naming(LOG_FILE, () => parseLog(log.content), 'log_rewritten'),
    version: log?.version ?? null,
    published: published && textOf(published),
    kept,
  }
}
