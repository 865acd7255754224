// Handles the files that verify the archive as a whole, and the receipts of messages.
import { mirrorBytes } from '../../archive/format/mirror.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../../archive/format/paths.ts'
import { readLogKeys } from '../database/settings/log-keys.ts'
import { answerText } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { Endpoint } from '../wire/endpoint.ts'
import { Problem } from '../wire/problem.ts'
import { readId } from '../wire/query.ts'
import { logFile } from './archived.ts'
import type { Shared } from './handler-deps.ts'
import { Receipts } from './receipts.ts'
import { ArchiveSums } from './sums.ts'

/** Handlers of the files that verify the archive as a whole, and of the receipts of messages. */
export function checkHandlers({ deps, guarded }: Shared) {
  const sums = new ArchiveSums(deps.archive, deps.clock)
  const receipts = new Receipts(deps.database.db, deps.signingKeyFile, deps.log)
  return {
    readChecksums: guarded.text(() => sums.text()),
    readLog: guarded.text(() => logFile(deps, LOG_FILE)),
    readCheckpoint: guarded.text(() => logFile(deps, CHECKPOINT_FILE)),
    readKeys: guarded.text(async () => (await keysBeforeLog(deps)) ?? logFile(deps, KEY_FILE)),
    readMirror: guarded.json(async () => {
      const settings = await deps.archive.mirror()
      if (!settings) throw new Problem('not_found', 'this archive is not a mirror')
      return mirrorBytes(settings)
    }),
    readMessageReceipt: async (call: Call, { cache }: Endpoint) =>
      answerText(call, 'text', await receipts.receiptOf(readId(call.params.id)), cache),
  }
}

/** The keys that sign receipts before the first day is logged; null if the archive has a log. */
async function keysBeforeLog({ archive, database }: Shared['deps']): Promise<string | null> {
  return (await archive.logFile(KEY_FILE)) ? null : readLogKeys(database.db)
}
