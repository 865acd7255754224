// Checks the records of a day against the leaves that the day has sealed (FORMAT.md 26.3). Pure.
import { ArchiveError, naming } from '../base/errors.ts'
import { stringifyJson } from '../base/json.ts'
import { sha256Of } from '../format/hash.ts'
import type { PackedLeaves } from '../format/leaves.ts'
import {
  type DayLine,
  type EntryLine,
  type HiddenLine,
  isEntry,
  type MessageLine,
  parseRecordLine,
  type RecordLine,
} from '../format/record-lines.ts'
import type { SealedRecords, Snapshot } from '../format/snapshot.ts'
import { differingRecords, messageLeaf, type RecordedEntry } from './sealed-records.ts'
import { equal, GrowingTree, type Hash } from './tree.ts'

/** Lines of these types come in this order. */
const ORDER: readonly RecordLine['type'][] = ['day', 'directory', 'message', 'review']

/** What a day has sealed about its messages. */
export interface SealedContent {
  snapshot: Pick<Snapshot, 'day' | 'records'>
  /** The content of `<day>.leaves`; null if it is not held, so that only the root is known. */
  leaves: PackedLeaves | null
}

/** The leaves of more messages are not held in memory: of these the root alone is compared. */
const MOST_HELD = 1_000_000n

/** Whether the leaves of a day are few enough to be held, so that an error can name the message. */
export const areHeld = ({ records }: SealedContent['snapshot']): boolean =>
  BigInt(records.count) <= MOST_HELD

/** Takes the lines of a file one after the other. Its errors name the message, or the line. */
export class RecordsCheck {
  readonly #sealed: SealedContent
  readonly #tree = new GrowingTree()
  #lines = 0
  #type: RecordLine['type'] = 'day'
  #first: bigint | null = null
  #last: bigint | null = null

  constructor(sealed: SealedContent) {
    this.#sealed = sealed
  }

  /** @throws ArchiveError `invalid_records` for a malformed line, `records_differ` for one that was not sealed */
  push(text: string): RecordLine {
    this.#lines += 1
    const line = naming(`line ${this.#lines}`, () => parseRecordLine(text), 'invalid_records')
    this.#checkOrder(line)
    if (line.type === 'day') this.#checkDay(line)
    if (line.type === 'message' || line.type === 'hidden') this.#checkMessage(line)
    return line
  }

  /** @throws ArchiveError `records_differ` if a message is missing */
  end(): void {
    const { records } = this.#sealed.snapshot
    if (this.#lines === 0) throw invalidRecords('is empty')
    const count = this.#tree.size
    if (String(count) !== records.count) {
      const after = this.#last === null ? '' : ` after message ${this.#last}`
      throw differ(`ends${after}: has ${count} of ${records.count} messages`)
    }
    if (Buffer.from(this.#tree.root()).toString('hex') !== records.root)
      throw differ(`messages ${this.#first} to ${this.#last} do not have the root that was sealed`)
  }

  #checkOrder({ type }: RecordLine): void {
    const place = (of: RecordLine['type']) => ORDER.indexOf(of === 'hidden' ? 'message' : of)
    const isFirst = this.#lines === 1
    if (isFirst !== (type === 'day') || place(type) < place(this.#type))
      throw invalidRecords(`line ${this.#lines}: a line of type ${type} cannot come here`)
    this.#type = type
  }

  #checkDay({ day, records }: DayLine): void {
    const { snapshot } = this.#sealed
    if (day !== snapshot.day) throw invalidRecords(`line 1: is of ${day}`)
    if (differingRecords(snapshot.records, records).length > 0)
      throw differ('line 1: records are not those that were sealed')
  }

  #checkMessage(line: MessageLine | HiddenLine): void {
    const { id } = line
    const { records } = this.#sealed.snapshot
    if (this.#last !== null && id <= this.#last)
      throw invalidRecords(`message ${id}: does not come after message ${this.#last}`)
    if (line.type === 'message' && sha256Of(line.body) !== line.body_hash)
      throw differ(`message ${id}: its text does not have its body_hash`)
    this.#first ??= id
    this.#last = id
    const leaf = leafOfLine(line)
    const sealed = this.#sealedLeaf(id, records)
    if (sealed && !equal(leaf, sealed)) throw differ(`message ${id}: is not as it was sealed`)
    this.#tree.add(leaf)
  }

  /** @returns null if only the root is known @throws ArchiveError `records_differ` for an id that was not sealed */
  #sealedLeaf(id: bigint, { first_message_id: first, last_message_id: last }: SealedRecords) {
    if (first === null || last === null || id < BigInt(first) || id > BigInt(last))
      throw differ(`message ${id}: is not one of this day`)
    const { leaves } = this.#sealed
    if (!leaves) return null
    const index = this.#tree.size
    const expected = BigInt(first) + BigInt(index)
    if (id !== expected) throw differ(`message ${expected}: is missing before message ${id}`)
    return leaves.at(index)
  }
}

/** The hash of the leaf of a message. */
export function leafOfLine(line: MessageLine | HiddenLine): Hash {
  if (line.type === 'hidden') return Buffer.from(line.leaf, 'hex')
  return messageLeaf({
    id: line.id,
    directory: line.directory,
    bodyHash: line.body_hash,
    receivedAt: line.received_at,
    publishAt: line.publish_at,
    authorLabel: line.author_label,
    entry: isEntry(line) ? entryOf(line) : null,
    salt: line.salt,
  })
}

const entryOf = (line: EntryLine): RecordedEntry => ({
  investigationId: line.investigation_id,
  kind: line.kind,
  title: line.kind === 'question' ? line.title : null,
  sources: stringifyJson(line.sources),
  links: stringifyJson(line.links),
})

const invalidRecords = (message: string) => new ArchiveError('invalid_records', message)
const differ = (message: string) => new ArchiveError('records_differ', message)
