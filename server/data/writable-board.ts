// Starts what only a board with records of its own has: receipts, and the comparison of its database with its archive.
import type { Logger } from 'pino'
import { hasKeyFile } from '../../archive/base/key-file.ts'
import { verifierOf } from '../../archive/log/note.ts'
import { readSigningKeys } from '../../archive/log/signing-keys.ts'
import type { ArchiveLocation } from '../../archive/place/location.ts'
import { type ArchiveReader, openStatingPlace } from '../../archive/reading/reader.ts'
import type { Database } from '../database/database.ts'
import { startLogKeys } from './log-keys.ts'
import { type RestoreGuardDeps, startRestoreGuard, type WriteGuard } from './restore-guard.ts'

export interface WritableBoard {
  /** Asked by each write transaction. */
  restoreGuard: WriteGuard
  /** Whether the log has a key, and messages have receipts. */
  hasReceipts(): boolean
  /** Whether writes wait for the first comparison. */
  isWaiting(): boolean
  stop(): Promise<void>
}

/** A mirror has neither. */
export const MIRROR: WritableBoard = {
  restoreGuard: () => null,
  hasReceipts: () => false,
  isWaiting: () => false,
  stop: async () => {},
}

interface WritableBoardDeps extends Pick<RestoreGuardDeps, 'clock'> {
  database: Database
  archive: ArchiveReader
  log: Logger
}

export interface OwnBoardConfig {
  /** The private key that signs the log and receipts; the file may be missing. */
  signingKeyFile: string
  /** The name of a log that begins now; undefined if nobody has chosen one. */
  newLogOrigin: string | undefined
  archive: ArchiveLocation
}

/** @param random returns a number from 0 to 1, for the pauses between the tries of a request to the archive */
export async function startWritableBoard(
  { database, archive, clock, log }: WritableBoardDeps,
  { signingKeyFile, newLogOrigin: origin, archive: location }: OwnBoardConfig,
  random: () => number,
): Promise<WritableBoard> {
  const keys = await startLogKeys({ database, archive, origin, signingKeyFile, log })
  const keysAtHand = (origin: string) => {
    try {
      return hasKeyFile(signingKeyFile)
        ? readSigningKeys(signingKeyFile).map((key) => verifierOf(origin, key))
        : []
    } catch (error) {
      log.warn((error as Error).message)
      return []
    }
  }
  const statements = await openStatingPlace(location, random)
  const restores = await startRestoreGuard({
    database,
    archive: statements,
    keysAtHand,
    clock,
    log,
  })
  return {
    restoreGuard: restores.guard,
    hasReceipts: keys.hasKeys,
    isWaiting: restores.isWaiting,
    async stop() {
      keys.stop()
      await restores.stop()
    },
  }
}
