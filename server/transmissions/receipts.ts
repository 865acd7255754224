// Signs the receipts of messages with the newest key of the log (FORMAT.md 23, API.md 4.8).
import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import { hasKeyFile } from '../../archive/base/key-file.ts'
import { isSameKey, parseKeys, type Verifier, verifierOf } from '../../archive/log/note.ts'
import { signReceipt } from '../../archive/log/receipt.ts'
import { messageLeafData } from '../../archive/log/sealed-records.ts'
import { readKey, readSigningKeys } from '../../archive/log/signing-keys.ts'
import { findRecorded } from '../data/recorded.ts'
import type { Queryable } from '../database/database.ts'
import { readLogKeys } from '../database/settings/settings.ts'
import { noRecord, Problem } from '../wire/problem.ts'

/** Why a message has none, as an error states it. */
const BEFORE_KEY = 'this message was written before the archive had a key, so it has no receipt'

/**
 * Returns the key that signs receipts, or why there is none. Reads the file each time, so that a replaced key is used at
 * once: it takes a tenth of a millisecond.
 * @param keys as in the file `key`
 */
export function receiptKey(
  keys: string | null,
  file: string,
): { name: string; key: KeyObject } | { reason: string } {
  if (keys === null)
    return { reason: 'the log has no name and key yet; set BASE_URL or LOG_ORIGIN, or seal a day' }
  const [newest] = parseKeys(Buffer.from(keys)) as [Verifier, ...Verifier[]]
  if (!hasKeyFile(file)) return { reason: `SIGNING_KEY_FILE: ${file} is missing` }
  const isNewest = (key: KeyObject) => isSameKey(verifierOf(newest.name, key), newest)
  try {
    const current = readKey(file)
    // A run that replaces the key may end, or be killed, between the file and the log: the former key is next to the file then.
    const key = isNewest(current) ? current : readSigningKeys(file).find(isNewest)
    if (key) return { name: newest.name, key }
    return {
      reason: `SIGNING_KEY_FILE: ${file} is not the newest key of the log, nor is one next to it`,
    }
  } catch (error) {
    return { reason: (error as Error).message }
  }
}

/**
 * Returns a function that returns the receipt of a message, and reports once that this host cannot sign them. It throws Problem
 * `message_not_found` or `receipt_not_available`.
 */
export function receiptsOf(db: Queryable, signingKeyFile: string, log: Pick<Logger, 'warn'>) {
  let isReported = false
  return async (id: bigint): Promise<string> => {
    const message = await findRecorded(db, id)
    if (!message) throw noRecord('message', id)
    const keys = await readLogKeys(db)
    if (keys === null) throw new Problem('receipt_not_available', BEFORE_KEY)
    const found = receiptKey(keys, signingKeyFile)
    if ('reason' in found) {
      if (!isReported) log.warn(`receipts are not signed here: ${found.reason}`)
      isReported = true
      throw new Problem('receipt_not_available', 'this server signs no receipts now')
    }
    isReported = false
    const { name: origin, key } = found
    return signReceipt({ origin, leafData: messageLeafData(message) }, key)
  }
}
