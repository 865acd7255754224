// Reads the files of a message that npm run verify checks: its receipts, its record and its text.
import { readRegularFile } from '../../archive/base/regular-file.ts'
import { MAX_JSON_BYTES, MAX_NOTE_BYTES } from '../../archive/format/bounds.ts'
import type { ReceiptFiles } from '../../archive/verify/receipt.ts'
import type { ReceiptArguments } from './verify-arguments.ts'

/** @throws Error with one line */
export function readReceiptFiles({ receipts, message, text }: ReceiptArguments): ReceiptFiles {
  const read = (file: string | undefined) =>
    file === undefined ? undefined : readRegularFile(file, MAX_JSON_BYTES)
  const notes = receipts.map((file) => readRegularFile(file, MAX_NOTE_BYTES))
  return { receipts: notes, message: read(message), text: read(text) }
}
