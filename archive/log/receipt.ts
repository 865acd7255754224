// Makes and reads receipts (FORMAT.md 23): a signed note by which the operator of a log promises that a message will be
// among the records of its day. Pure.
import type { KeyObject } from 'node:crypto'
import { ArchiveError } from '../base/errors.ts'
import { dayOf } from '../format/calendar.ts'
import { isSha256 } from '../format/paths.ts'
import { isInstant, isSalt, MAX_ID } from '../format/scalars.ts'
import { isKeyName, openNote, parseNote, signNote, type Verifier } from './note.ts'
import { MESSAGE_LEAF } from './sealed-records.ts'

/** The first line of every receipt, and of no checkpoint. */
const HEADER = 'daysignal-receipt-v1'

export interface Receipt {
  /** The name of the log, and of the key that signs. */
  origin: string
  /** The data of the message's leaf, of version 2 (FORMAT.md 18.2). */
  leafData: string
}

/** A receipt with what its leaf states. */
export interface ReadReceipt extends Receipt {
  message: MessageLeaf
}

/** Whether the text of a note is a receipt, whatever it contains, and so is no checkpoint. */
export function isReceiptText(text: string): boolean {
  return text.startsWith(`${HEADER}\n`)
}

export function receiptText({ origin, leafData }: Receipt): string {
  return `${HEADER}\n${origin}\n${leafData}`
}

/**
 * Makes a receipt. Ed25519 is deterministic, so the same key gives the same bytes.
 * @param key the log's newest key
 */
export function signReceipt(receipt: Receipt, key: KeyObject): string {
  return signNote(receiptText(receipt), [{ name: receipt.origin, privateKey: key }])
}

/**
 * Parses the text of a receipt.
 * @throws ArchiveError `invalid_receipt`
 */
export function parseReceiptText(text: string): ReadReceipt {
  if (!isReceiptText(text)) throw invalidReceipt(`does not begin with the line ${HEADER}`)
  const end = text.indexOf('\n', HEADER.length + 1)
  const origin = text.slice(HEADER.length + 1, Math.max(end, 0))
  if (!isKeyName(origin))
    throw invalidReceipt('does not name the origin of a log in its second line')
  const leafData = text.slice(end + 1)
  const message = parseMessageLeaf(leafData)
  return { origin, leafData, message }
}

/**
 * Parses a receipt without verifying its signatures.
 * @throws ArchiveError `invalid_note`, `invalid_receipt`
 */
export function parseReceipt(note: Uint8Array): ReadReceipt {
  return parseReceiptText(parseNote(note).text)
}

/**
 * Opens a receipt signed by the log itself, that is by a known key whose name is the origin.
 * @throws ArchiveError `invalid_note`, `invalid_receipt`, `unknown_signer`, `wrong_signature`
 */
export function openReceipt(
  note: Uint8Array,
  known: readonly Verifier[],
): ReadReceipt & { verified: Verifier[] } {
  const receipt = parseReceipt(note)
  const own = known.filter(({ name }) => name === receipt.origin)
  return { ...receipt, verified: openNote(note, own).verified }
}

function invalidReceipt(message: string): ArchiveError {
  return new ArchiveError('invalid_receipt', message)
}

/** What a leaf states about a message. */
export interface MessageLeaf {
  id: bigint
  directory: string
  /** 64 lowercase hex digits, as all hashes here. */
  bodyHash: string
  /** RFC 3339, like `publishAt`. */
  receivedAt: string
  publishAt: string
  /** The day whose records contain the message. */
  day: string
  labelHash: string
  entryHash: string
  /** 32 lowercase hex digits. */
  salt: string
}

const LINES = 9

/**
 * Parses the data of a leaf (FORMAT.md 18.2), strictly: whatever it accepts is written back to the same bytes.
 * @throws ArchiveError `invalid_receipt` naming the line
 */
export function parseMessageLeaf(data: string): MessageLeaf {
  const lines = data.split('\n')
  if (lines.pop() !== '') throw invalidLeaf('does not end with a line feed')
  const [version = '', id = '', directory = '', bodyHash = '', receivedAt = '', publishAt = ''] =
    lines
  const [labelHash = '', entryHash = '', salt = ''] = lines.slice(6)
  if (version !== MESSAGE_LEAF || lines.length !== LINES)
    throw invalidLeaf(`does not have the ${LINES} lines of ${MESSAGE_LEAF}`)
  demand(/^[1-9][0-9]{0,18}$/.test(id) && BigInt(id) <= MAX_ID, 'id')
  demand(/^[a-z0-9_./-]{1,256}$/.test(directory), 'directory')
  demand([bodyHash, labelHash, entryHash].every(isSha256), 'hash')
  demand(isInstant(receivedAt) && isInstant(publishAt), 'time')
  demand(isSalt(salt), 'salt')
  const day = dayOf(Date.parse(publishAt))
  const times = { receivedAt, publishAt, day }
  return { id: BigInt(id), directory, bodyHash, ...times, labelHash, entryHash, salt }
}

function demand(isValid: boolean, name: string): void {
  if (!isValid) throw invalidLeaf(`has an invalid ${name}`)
}

const invalidLeaf = (rule: string) => invalidReceipt(`its leaf ${rule}`)
