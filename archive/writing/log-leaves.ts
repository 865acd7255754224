// Reads the state of an archive's log before a run appends to it, and decides which manifests may be appended (FORMAT.md
// 15.4).
import { ArchiveError, naming } from '../base/errors.ts'
import { isDay } from '../format/calendar.ts'
import { sha256Of } from '../format/hash.ts'
import { parseManifest } from '../format/manifest.ts'
import { CHECKPOINT_FILE, LOG_FILE, manifestKey } from '../format/paths.ts'
import { type KnownLog, namingRemedy } from '../log/continuity.ts'
import { type LogEntry, parseLog } from '../log/days.ts'
import { isUpgradeOf } from '../log/upgrade.ts'
import { type Place, readExisting, textOf, type WritablePlace } from '../place/place.ts'

/** A published manifest, not parsed yet. */
interface FoundManifest {
  day: string
  bytes: Uint8Array
  sha256: string
}

/** Reads a day's manifest; null when it has none. */
export async function findManifest(
  place: WritablePlace,
  day: string,
): Promise<FoundManifest | null> {
  const file = isDay(day) ? await readExisting(place, manifestKey(day), 'invalid_manifest') : null
  return file && { day, bytes: file.content, sha256: sha256Of(file.content) }
}

/**
 * Returns the leaf that a day's manifest still needs, or null.
 * @param newest the day's newest leaf
 * @throws ArchiveError `manifest_not_logged`, `invalid_manifest`
 */
export async function missingLeaf(
  place: WritablePlace,
  day: string,
  newest: LogEntry | undefined,
): Promise<LogEntry | null> {
  const found = await findManifest(place, day)
  if (!found || found.sha256 === newest?.sha256) return null
  if (mayAppend(newest, found)) return { day, sha256: found.sha256 }
  throw notLogged(day)
}

/** Whether a manifest may get a leaf: as the first of its day, or as an upgrade of the newest. */
export function mayAppend(newest: LogEntry | undefined, found: FoundManifest): boolean {
  const name = manifestKey(found.day)
  const manifest = naming(name, () => parseManifest(found.bytes))
  return newest ? isUpgradeOf(manifest, newest.sha256) : manifest.day === found.day
}

/** The error for a manifest that is neither its day's newest leaf nor an upgrade of it. */
export function notLogged(day: string): ArchiveError {
  return new ArchiveError(
    'manifest_not_logged',
    `${manifestKey(day)}: is not the manifest that was logged, and is not signed (manifest_not_logged)`,
  )
}

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
