// The log of days in a run: opened before anything is made, appended to after each day (FORMAT.md 17).
import { ArchiveError, naming } from '../archive/errors.ts'
import { CHECKPOINT_FILE, manifestKey } from '../archive/format/paths.ts'
import { parseCheckpoint } from '../archive/log/checkpoint.ts'
import { isStarted, type KnownLog } from '../archive/log/continuity.ts'
import { newestLeaves } from '../archive/log/days.ts'
import type { Signer } from '../archive/log/note.ts'
import type { Place } from '../archive/place/place.ts'
import { type CheckpointKeeper, findLog } from '../archive/writing/found-log.ts'
import { KnownFiles } from '../archive/writing/known-files.ts'
import { type DayLog, openLog } from '../archive/writing/log.ts'
import type { Store } from '../server/store/database.ts'
import type { LogConfig } from '../server/store/location.ts'
import { readSetting, writeSetting } from '../server/store/settings.ts'
import type { RunArchive } from './archive.ts'
import { makeSigningKey, readSigningKeys, replaceSigningKey } from './signing-keys.ts'

/** The setting that keeps the newest checkpoint. */
const SETTING = 'log.checkpoint'

/**
 * Opens the log of an archive, and shows that it continues what was signed. Nothing is changed, but
 * where there is no log yet: then the signing key is made.
 * @throws Error with one line that begins with the code: `log_missing`, `log_rewritten`
 */
export async function openDayLog(
  store: Store,
  place: Place,
  config: LogConfig,
  options: { rekey?: boolean } = {},
): Promise<DayLog> {
  const keeper = keeperIn(store)
  try {
    const known = await findLog(place, keeper)
    const origin = originOf(known, config)
    if (!isStarted(known)) makeSigningKey(config.signingKeyFile)
    const log = await openLog(place, keeper, known, signersOf(config, origin))
    if (!options.rekey) return log
    replaceSigningKey(config.signingKeyFile, origin)
    return await openLog(place, keeper, known, signersOf(config, origin))
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw new Error(`${error.code}: ${error.message}`, { cause: error })
  }
}

/** The archived days, without those whose manifests are known to be in the log. */
export async function daysToLog({
  place,
  reader,
  memory,
  log,
}: Pick<RunArchive, 'place' | 'reader' | 'memory'> & { log: DayLog }): Promise<string[]> {
  const days = await reader.days()
  const known = await KnownFiles.in(place, memory)
  const leaves = newestLeaves(log.entries)
  return days.filter((day) => !known.isLeaf(leaves.get(day)))
}

/**
 * Logs the manifest that a day has now, unless it is logged.
 * @throws ArchiveError `manifest_not_logged`, `invalid_manifest`, `log_rewritten`
 */
export async function logDay(log: DayLog, day: string): Promise<void> {
  const [unlogged] = await log.append([day])
  if (unlogged) throw unlogged.error
}

/**
 * Keeps a day that was logged from being made again out of a new snapshot: no other manifest is ever signed for it.
 * @param hasSnapshot whether the day's folder still has its `<day>.json`, from which the same bytes may follow
 * @throws ArchiveError `manifest_not_logged`
 */
export function refuseLost(log: DayLog, day: string, hasSnapshot: boolean): void {
  if (!hasSnapshot && log.leafOf(day)) throw new ArchiveError('manifest_not_logged', lossOf(day))
}

/** Why a logged day cannot be made again, and what to do. */
export function lossOf(day: string): string {
  return `${manifestKey(day)}: is in the log, and lost; restore it with --repair --from PLACE`
}

/** @throws Error when LOG_ORIGIN is another than the log's own */
function originOf({ published, kept }: KnownLog, config: LogConfig): string {
  const { logOrigin, defaultLogOrigin } = config
  const note = kept ?? published
  if (note === null) return logOrigin ?? defaultLogOrigin
  const origin = originIn(note)
  if (logOrigin !== undefined && logOrigin !== origin)
    throw new Error(
      `LOG_ORIGIN: the log is of ${origin}, which never changes; another origin is another log`,
    )
  return origin
}

/** @throws ArchiveError `log_rewritten` when a note is no checkpoint */
export function originIn(note: string): string {
  const parse = () => parseCheckpoint(Buffer.from(note)).origin
  return naming(CHECKPOINT_FILE, parse, 'log_rewritten')
}

export function signersOf({ signingKeyFile }: LogConfig, name: string): Signer[] {
  return readSigningKeys(signingKeyFile).map((privateKey) => ({ name, privateKey }))
}

/** Keeps the newest checkpoint in the database. */
export function keeperIn(store: Store): CheckpointKeeper {
  return {
    read: () => readSetting(store.db, SETTING),
    replace: (before, after) =>
      store.write(async (tx) => {
        if ((await readSetting(tx, SETTING)) !== before) return false
        await writeSetting(tx, SETTING, after)
        return true
      }),
  }
}
