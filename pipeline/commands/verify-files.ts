// Reads the files of a message that npm run verify checks: its receipts or its proof, its record and its text.
import { readRegularFile } from '../../archive/base/regular-file.ts'
import { MAX_JSON_BYTES, MAX_NOTE_BYTES } from '../../archive/format/bounds.ts'
import type { ContentFiles } from '../../archive/verify/content.ts'
import type { ProofFiles } from '../../archive/verify/message.ts'
import type { ReceiptFiles } from '../../archive/verify/receipt.ts'
import type { ContentArguments, ProofArguments, ReceiptArguments } from './verify-arguments.ts'

/** @throws Error with one line */
export function readProofFiles({ proof, ...content }: ProofArguments): ProofFiles {
  return { proof: readRegularFile(proof, MAX_JSON_BYTES), ...readContent(content) }
}

/** @throws Error with one line */
export function readReceiptFiles({ receipts, ...content }: ReceiptArguments): ReceiptFiles {
  const notes = receipts.map((file) => readRegularFile(file, MAX_NOTE_BYTES))
  return { receipts: notes, ...readContent(content) }
}

function readContent({ message, text }: ContentArguments): ContentFiles {
  const read = (file: string | undefined) =>
    file === undefined ? undefined : readRegularFile(file, MAX_JSON_BYTES)
  return { message: read(message), text: read(text) }
}
