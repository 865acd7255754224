// Reads and writes checkpoints (C2SP tlog-checkpoint): origin, size and root of a log in a signed note.
import { ArchiveError } from '../base/errors.ts'
import { fromBase64, openNote, parseNote, toBase64, type Verifier } from './note.ts'
import { isReceiptText } from './receipt.ts'
import { HASH_BYTES, type Hash } from './tree.ts'

export interface Checkpoint {
  /** The name of the log. */
  origin: string
  /** The number of its leaves. */
  size: number
  root: Hash
}

/** Decimal without leading zeros. */
const COUNT = /^(0|[1-9][0-9]*)$/

export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${toBase64(root)}\n`
}

/**
 * Parses the text of a checkpoint. Lines after the third, which other logs may have, are ignored.
 * @throws ArchiveError `invalid_checkpoint`
 */
export function parseCheckpointText(text: string): Checkpoint {
  if (isReceiptText(text)) throw invalidCheckpoint('is a receipt')
  const lines = text.split('\n')
  const [origin = '', count = '', encoded = ''] = lines
  const size = parseCount(count)
  const root = fromBase64(encoded)
  if (lines.pop() !== '' || lines.length < 3 || lines.includes(''))
    throw invalidCheckpoint('is not three lines or more')
  if (size === null) throw invalidCheckpoint('its size is not a whole number')
  if (root?.length !== HASH_BYTES) throw invalidCheckpoint('its root is not a SHA-256 in base64')
  return { origin, size, root }
}

/**
 * Parses a checkpoint without verifying its signatures.
 * @throws ArchiveError `invalid_note`, `invalid_checkpoint`
 */
export function parseCheckpoint(note: Uint8Array): Checkpoint {
  return parseCheckpointText(parseNote(note).text)
}

/**
 * Opens a checkpoint signed by the log itself, that is by a known key whose name is the origin.
 * @throws ArchiveError `invalid_note`, `invalid_checkpoint`, `unknown_signer`, `wrong_signature`
 */
export function openCheckpoint(
  note: Uint8Array,
  known: readonly Verifier[],
): Checkpoint & { verified: Verifier[] } {
  const checkpoint = parseCheckpoint(note)
  const own = known.filter(({ name }) => name === checkpoint.origin)
  return { ...checkpoint, verified: openNote(note, own).verified }
}

/** Parses a number of leaves; null unless it is a canonical decimal that a double holds exactly. */
export function parseCount(text: string): number | null {
  const count = Number(text)
  return COUNT.test(text) && Number.isSafeInteger(count) ? count : null
}

function invalidCheckpoint(message: string): ArchiveError {
  return new ArchiveError('invalid_checkpoint', message)
}
