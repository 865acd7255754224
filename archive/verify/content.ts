// Checks the text and the record of a message against the data of its leaf (FORMAT.md 18.2).
import { parseJson, stringifyJson } from '../base/json.ts'
import { sha256Of } from '../format/hash.ts'
import { messageLeafData, type RecordedEntry } from '../log/sealed-records.ts'
import { type Done, demand, Refuted } from './receipt-verdict.ts'

/** What a reader has of a message. */
export interface ContentFiles {
  /** The message's record: `<id>.json`, or its entry in the investigation. */
  message?: Uint8Array | undefined
  /** `<id>.txt` */
  text?: Uint8Array | undefined
}

const OTHER_TEXT = 'Your text is not the one that the receipt is of.'
const OTHER_RECORD = 'Your record is not that of the message that the receipt is of.'

/**
 * Checks a text and a record, where given, against the data of a leaf.
 * @throws Refuted
 */
export function checkContent({ message, text }: ContentFiles, leafData: string, done: Done): void {
  const [, id, , bodyHash = ''] = leafData.split('\n')
  if (text) {
    demand(
      sha256Of(text) === bodyHash,
      'the text does not have the hash that the leaf names',
      OTHER_TEXT,
    )
    done('text', `has the hash ${bodyHash}`)
  }
  if (message) {
    const { leaf, hasEntry } = leafOf(message, leafData)
    demand(leaf === leafData, 'the record of the message does not give the leaf', OTHER_RECORD)
    const unknown = hasEntry ? '' : '; its entry is not in the record and was not compared'
    done('message', `message ${id} gives the leaf${unknown}`)
  }
}

/** The lines of a leaf with the hash of the entry, and with the salt. */
const ENTRY_LINE = 7
const SALT_LINE = 8
const NO_ENTRY = sha256Of(new Uint8Array())

/**
 * Computes the leaf from a record as a service returns it. What the record lacks is taken from the leaf: the directory
 * in the record of an entry, the entry in the record of a message, and the salt.
 * @returns the leaf, and whether its entry was computed too
 * @throws Refuted
 */
function leafOf(bytes: Uint8Array, leafData: string): { leaf: string; hasEntry: boolean } {
  const record = parseRecord(bytes)
  const stated = leafData.split('\n')
  const bodyHash = String(record.body_hash)
  demand(
    sha256Of(String(record.body)) === bodyHash,
    'the body in the record does not have its body_hash',
    OTHER_RECORD,
  )
  const entry = entryOf(record)
  const lines = messageLeafData({
    id: integerIn(record, record.id === undefined ? 'message_id' : 'id'),
    directory: String(record.directory ?? stated[2]),
    bodyHash,
    receivedAt: String(record.received_at),
    publishAt: String(record.publish_at),
    authorLabel: String(record.author_label),
    entry,
    salt: String(stated[SALT_LINE]),
  }).split('\n')
  if (!entry) lines[ENTRY_LINE] = stated[ENTRY_LINE] ?? ''
  return { leaf: lines.join('\n'), hasEntry: lines[ENTRY_LINE] === NO_ENTRY || entry !== null }
}

/** The question or contribution in a record of an investigation; null for a record of `/messages/<id>.json`. */
function entryOf(record: Record<string, unknown>): RecordedEntry | null {
  const { kind, title, sources, links } = record
  if (kind === undefined) return null
  return {
    investigationId: integerIn(record, 'investigation_id'),
    kind: String(kind),
    title: title === undefined ? null : String(title),
    sources: stringifyJson(sources),
    links: stringifyJson(links),
  }
}

function integerIn(record: Record<string, unknown>, name: string): bigint {
  const value = record[name]
  if (typeof value !== 'bigint')
    throw new Refuted(`the record of the message has no integer as ${name}`, OTHER_RECORD)
  return value
}

/** @throws Refuted */
function parseRecord(bytes: Uint8Array): Record<string, unknown> {
  try {
    const value = parseJson(Buffer.from(bytes).toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Refuted('the record of the message is not a JSON object', OTHER_RECORD)
}
