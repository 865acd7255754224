// Reads and judges receipts for npm run verify, and keeps the evidence of a broken promise.
import { readRegularFile } from '../../archive/base/regular-file.ts'
import { EXIT_FAILED, EXIT_PENDING } from '../../archive/base/terminal.ts'
import { MAX_JSON_BYTES, MAX_NOTE_BYTES } from '../../archive/format/bounds.ts'
import { parseReceipt } from '../../archive/log/receipt.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { Place } from '../../archive/place/place.ts'
import {
  type ReceiptFiles,
  type ReceiptOptions,
  verifyReceipt,
} from '../../archive/verify/receipt.ts'
import type { Judgement, Verdict } from '../../archive/verify/receipt-verdict.ts'
import { copyEvidence } from './evidence.ts'
import type { ReceiptArguments } from './verify-arguments.ts'

/** The verdicts of which there is evidence. */
const CONVICTING: readonly Verdict[] = ['overdue', 'broken']

/**
 * Judges a receipt and keeps the evidence, if there is any and a folder for it.
 * @param dir the folder for the evidence
 * @returns the verdict, and the names of the files that are the evidence
 * @throws Error with one line if the evidence cannot be kept
 */
export async function judgeReceipt(
  place: Place,
  files: ReceiptFiles,
  options: ReceiptOptions,
  dir: string | undefined,
): Promise<Judgement> {
  const judgement = await verifyReceipt(place, files, options)
  const { onStep } = options
  const { verdict, evidence } = judgement
  if (!CONVICTING.includes(verdict)) return judgement
  const receipts = receiptNames(files.receipts)
  const names = [...receipts, ...evidence]
  if (dir === undefined) {
    onStep({ step: 'evidence', ok: true, message: `${names.join(', ')}; --evidence keeps them` })
    return { ...judgement, evidence: names }
  }
  await copyEvidence(
    dir,
    place,
    new Map(receipts.map((name, i) => [name, files.receipts[i]!])),
    evidence,
  )
  // The source may have shown other files since: what is kept must show it by itself.
  const again = await verifyReceipt(
    folderPlace(dir),
    { receipts: files.receipts },
    { ...options, onStep() {} },
  )
  if (again.verdict !== verdict)
    throw new Error(`${dir}: the files do not show it, because the archive has changed; try again`)
  onStep({ step: 'evidence', ok: true, message: `${names.join(', ')} in ${dir}` })
  return { ...judgement, evidence: names }
}

/** The names of receipts in a folder of evidence. */
function receiptNames(receipts: readonly Uint8Array[]): string[] {
  return receipts.map((note, i) => {
    const { id } = parseReceipt(note).message
    return i === 0 ? `${id}.receipt` : `${id}-${i + 1}.receipt`
  })
}

/** The exit code for a verdict (COMMANDS.md 3.2). */
export function exitCodeOf(verdict: Verdict): number {
  if (verdict === 'kept') return 0
  return verdict === 'pending' || verdict === 'late' ? EXIT_PENDING : EXIT_FAILED
}

/** @throws Error with one line */
export function readReceiptFiles({ receipts, message, text }: ReceiptArguments): ReceiptFiles {
  const read = (file: string | undefined) =>
    file === undefined ? undefined : readRegularFile(file, MAX_JSON_BYTES)
  const notes = receipts.map((file) => readRegularFile(file, MAX_NOTE_BYTES))
  return { receipts: notes, message: read(message), text: read(text) }
}
