// Opens the log of days at the start of a run, and appends each day to it once sealed (FORMAT.md 15).
import { ArchiveError, isArchiveError, naming } from '../../archive/base/errors.ts'
import { CHECKPOINT_FILE, KEY_FILE, manifestKey } from '../../archive/format/paths.ts'
import { parseCheckpoint } from '../../archive/log/checkpoint.ts'
import { isStarted, type KnownLog } from '../../archive/log/continuity.ts'
import type { Cosigner } from '../../archive/log/cosignature.ts'
import { formatVkey, parseKeys, type Verifier } from '../../archive/log/note.ts'
import {
  makeSigningKey,
  readSigningKeys,
  readVerifiers,
  replaceSigningKey,
} from '../../archive/log/signing-keys.ts'
import { readExisting, textOf, type WritablePlace } from '../../archive/place/place.ts'
import { DayLog } from '../../archive/writing/day-log.ts'
import { type CheckpointKeeper, findLog } from '../../archive/writing/log-leaves.ts'
import type { LogConfig } from '../../server/data/location.ts'
import { LOG_CHECKPOINT } from '../../server/data/restored.ts'
import type { Database } from '../../server/database/database.ts'
import {
  readLogKeys,
  readSetting,
  swapLogKeys,
  writeSetting,
} from '../../server/database/settings/settings.ts'

/**
 * Opens the log of an archive and verifies that it continues every known checkpoint. Changes nothing,
 * except that it creates the signing key when there is no log yet, or replaces it on request and publishes the new one.
 * @param options.rekey replace the signing key
 * @param options.witnesses the keys whose lines the checkpoint may have, too
 * @throws Error with one line that begins with the code: `log_missing`, `log_rewritten`
 */
export async function openDayLog(
  database: Database,
  place: WritablePlace,
  config: LogConfig,
  { rekey = false, witnesses = [] }: { rekey?: boolean; witnesses?: readonly Cosigner[] } = {},
): Promise<DayLog> {
  const keeper = keeperIn(database)
  try {
    const known = await findLog(place, keeper)
    const keys = await readLogKeys(database.db)
    const origin = originOf(known, keys, config)
    if (!isStarted(known)) await beginKey(origin, keys, config)
    const openIt = async () => {
      const keys = readSigningKeys(config.signingKeyFile)
      const signers = keys.map((privateKey) => ({ name: origin, privateKey }))
      const log = new DayLog(place, keeper, signers, witnesses)
      await log.adopt(known)
      return log
    }
    let log = await openIt()
    if (rekey) {
      await replaceSigningKey(config.signingKeyFile, origin)
      log = await openIt()
    }
    await keepKeys(database, place, keys, log)
    return log
  } catch (error) {
    if (!isArchiveError(error)) throw error
    throw new Error(`${error.code}: ${error.message}`, { cause: error })
  }
}

/**
 * Logs a day's current manifest unless it is logged already.
 * @throws ArchiveError `manifest_not_logged`, `invalid_manifest`, `log_rewritten`
 */
export async function logDay(log: DayLog, day: string): Promise<void> {
  const [unlogged] = await log.append([day])
  if (unlogged) throw unlogged.error
}

/**
 * Prevents producing a published day again, whose manifest is lost: another one could never be signed.
 * @throws ArchiveError `manifest_not_logged`
 */
export function refuseLost(log: DayLog, day: string): void {
  if (log.leafOf(day)) throw new ArchiveError('manifest_not_logged', lossOf(day))
}

/** The error message for a published day that has lost its manifest, with the remedy. */
export function lossOf(day: string): string {
  return `${manifestKey(day)}: is in the log but lost; restore it with --repair --from PLACE`
}

/** Makes the first key, unless receipts are signed with it already. @throws Error with one line */
async function beginKey(origin: string, keys: string | null, { signingKeyFile }: LogConfig) {
  if (keys === null) return makeSigningKey(signingKeyFile)
  const [current] = readVerifiers(signingKeyFile, origin)
  if (!keys.split('\n').includes(formatVkey(current as Verifier)))
    throw new Error(
      `SIGNING_KEY_FILE: ${signingKeyFile} is not the key that has signed receipts of ${origin}; restore that one from a copy`,
    )
}

/**
 * Keeps the log's keys in the database, the current one first, for the servers that sign receipts. A new one is published
 * before, so that readers know every key that has signed a receipt.
 * @param before the keys in the database
 */
async function keepKeys(
  database: Database,
  place: WritablePlace,
  before: string | null,
  log: DayLog,
): Promise<void> {
  const [current, ...older] = log.keys.map(formatVkey)
  if (before?.startsWith(`${current}\n`)) return
  if (log.checkpoint) await log.publishKeys()
  const published = await readExisting(place, KEY_FILE, 'invalid_key')
  const named = [...(before ?? '').split('\n'), ...(published ? textOf(published).split('\n') : [])]
  const known = named.filter((key) => key.startsWith(`${log.keys[0]?.name}+`))
  const keys = new Set([current, ...known, ...older])
  // Otherwise another run has written them meanwhile.
  await swapLogKeys(database, before, [...keys].map((key) => `${key}\n`).join(''))
}

/** @throws Error when LOG_ORIGIN differs from the log's own origin */
function originOf(
  { published, kept }: KnownLog,
  keys: string | null,
  { logOrigin, defaultLogOrigin }: LogConfig,
): string {
  const note = kept ?? published
  const origin = note !== null ? originIn(note) : keys !== null ? nameIn(keys) : undefined
  if (origin === undefined) return logOrigin ?? defaultLogOrigin
  if (logOrigin !== undefined && logOrigin !== origin)
    throw new Error(
      `LOG_ORIGIN: the log's origin is ${origin} and never changes; another origin is another log`,
    )
  return origin
}

/** The name of the log's keys, which is its origin. */
const nameIn = (keys: string): string => (parseKeys(Buffer.from(keys))[0] as Verifier).name

/** Parses the origin of a checkpoint. @throws ArchiveError `log_rewritten` when the note is not a checkpoint */
function originIn(note: string): string {
  const parse = () => parseCheckpoint(Buffer.from(note)).origin
  return naming(CHECKPOINT_FILE, parse, 'log_rewritten')
}

/** Stores the newest checkpoint in the database. */
export function keeperIn(database: Database): CheckpointKeeper {
  return {
    read: () => readSetting(database.db, LOG_CHECKPOINT),
    replace: (before, after) =>
      database.write(async (tx) => {
        if ((await readSetting(tx, LOG_CHECKPOINT)) !== before) return false
        await writeSetting(tx, LOG_CHECKPOINT, after)
        return true
      }),
  }
}
