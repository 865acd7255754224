// Starts what only a board with records of its own has: receipts, and the comparison of its database with its archive.
import type { Logger } from 'pino'
import { nullIf } from '../../archive/base/errors.ts'
import { CHECKPOINT_FILE, KEY_FILE, receiptUrl } from '../../archive/format/paths.ts'
import { formatVkey, parseKeys } from '../../archive/log/note.ts'
import { makeSigningKey, readVerifiers } from '../../archive/log/signing-keys.ts'
import type { ArchiveLocation } from '../../archive/place/location.ts'
import { openPlace, SERVER_REQUESTS } from '../../archive/place/open.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { Database } from '../database/database.ts'
import { readLogKeys, readSetting, swapLogKeys } from '../database/settings/settings.ts'
import { type RestoreGuardDeps, startRestoreGuard } from './restore-guard.ts'
import { LOG_CHECKPOINT } from './restored.ts'

export type WritableBoard = Awaited<ReturnType<typeof startWritableBoard>>

/** A mirror has neither. */
export const MIRROR: WritableBoard = {
  restoreGuard: () => null,
  receiptOf: () => null,
  isWaiting: () => false,
  stop: async () => {},
}

interface WritableBoardDeps extends Pick<RestoreGuardDeps, 'clock'> {
  database: Database
  archive: ArchiveReader
  log: Logger
}

interface OwnBoardConfig {
  /** The private key that signs the log and receipts; the file may be missing. */
  signingKeyFile: string
  /** The name of a log that begins now; undefined if nobody has chosen one. */
  newLogOrigin: string | undefined
  archive: ArchiveLocation
}

/** @param random returns a number from 0 to 1, for the pauses between the tries of a request to the archive */
export async function startWritableBoard(
  deps: WritableBoardDeps,
  config: OwnBoardConfig,
  random: () => number,
) {
  const keys = await startLogKeys(deps, config)
  const archive = await openPlace(config.archive, { ...SERVER_REQUESTS, random })
  const { signingKeyFile } = config
  const restores = await startRestoreGuard({ ...deps, archive, signingKeyFile })
  return {
    /** Asked by each write transaction. */
    restoreGuard: restores.guard,
    /** Returns the address of a message's receipt; null while the log has no key. */
    receiptOf: (id: bigint) => (keys.hasKeys() ? receiptUrl(id) : null),
    isWaiting: restores.isWaiting,
    async stop(): Promise<void> {
      keys.stop()
      await restores.stop()
    },
  }
}

/** How often keys are looked for while there are none [ms]. */
const WATCH_EVERY_MS = 1_000

/**
 * Gives the log its origin and its first key before there is a day to seal, so that messages have receipts from the start
 * (API.md 4.8), and looks for keys that a run writes later.
 */
async function startLogKeys(deps: WritableBoardDeps, config: OwnBoardConfig) {
  const { database, log } = deps
  await beginLog(deps, config).catch((error: Error) =>
    log.warn(`receipts are not signed: ${error.message}`),
  )
  let hasKeys = false
  const look = async () => {
    hasKeys = (await readLogKeys(database.db).catch(() => null)) !== null
    if (hasKeys) clearInterval(timer)
  }
  const timer = setInterval(() => void look(), WATCH_EVERY_MS).unref()
  await look()
  return {
    /** Whether the log has a key, and with it receipts. */
    hasKeys: () => hasKeys,
    stop: () => clearInterval(timer),
  }
}

/** Takes over the keys of an existing log; a new one gets a key if it has a name. */
async function beginLog(
  { database, archive, log }: WritableBoardDeps,
  { newLogOrigin: origin, signingKeyFile }: OwnBoardConfig,
): Promise<void> {
  if ((await readLogKeys(database.db)) !== null) return
  const published = await archive.logFile(KEY_FILE).catch(nullIf('archive_unavailable'))
  if (published) {
    parseKeys(published)
    await swapLogKeys(database, null, Buffer.from(published).toString())
    return
  }
  // A log without its file `key`, or an archive that cannot be read: the next run knows the keys.
  if (!(await isNew(database, archive)) || origin === undefined) return
  await makeSigningKey(signingKeyFile)
  const keys = readVerifiers(signingKeyFile, origin).map(formatVkey)
  await swapLogKeys(database, null, keys.map((key) => `${key}\n`).join(''))
  log.info(`The log of days is named ${origin} for good`)
}

/** Whether nothing has been signed for this board yet. */
async function isNew(database: Database, archive: ArchiveReader): Promise<boolean> {
  if ((await readSetting(database.db, LOG_CHECKPOINT)) !== null) return false
  const checkpoint = await archive.logFile(CHECKPOINT_FILE).catch(() => undefined)
  return checkpoint === null
}
