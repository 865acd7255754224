// Pages of messages written from their records, each of which is read from the database and turned into JSON once. A long
// page is never in memory as a whole: its records are read once for their digests, and again when they are sent.
import { Bounded } from '../bounded.ts'
import type { Store } from '../store/database.ts'
import { recordsOf } from './queries.ts'
import {
  etagOfPage,
  OPENING,
  type PageText,
  pageEnd,
  type RecordFacts,
  type RecordText,
  textOf,
} from './record-text.ts'

/** Memory for records [characters of JSON]. */
const ROOM = 8 * 1024 * 1024

/** Pages with more JSON than this are sent in pieces [bytes]. */
const LONG_BYTES = 256 * 1024
/** Records that are read at once: a message has at most 16 KiB of text. */
const READ_AT_ONCE = 16
/** Records that are sent at once have about as much JSON [bytes]. */
const PIECE_BYTES = 32 * 1024

export class RecordPages {
  readonly #store: Store
  readonly #onBroken: (error: unknown) => void
  readonly #records = new Bounded<bigint, RecordText>(ROOM, ({ json }) => json.length)

  /** @param onBroken called when a page could not be sent to its end */
  constructor(store: Store, onBroken: (error: unknown) => void) {
    this.#store = store
    this.#onBroken = onBroken
  }

  /**
   * @param ids of its messages, ascending
   * @param after the cursor that it was asked for with, which an empty page returns
   */
  async write(ids: readonly bigint[], after: bigint): Promise<PageText> {
    const { facts, texts } = await this.#textsOf(ids)
    const next = ids.at(-1) ?? after
    const etag = etagOfPage(facts.map(({ digest }) => digest).join(''), next)
    const end = pageEnd(next)
    if (texts) return { body: Buffer.from(`${OPENING}${texts.join(',')}${end}`), etag }
    const records = facts.reduce((sum, { bytes }) => sum + bytes, 0)
    const length = OPENING.length + records + facts.length - 1 + end.length
    const pieces = () => this.#pieces(facts, end)
    return { body: { length, pieces, onBroken: this.#onBroken }, etag }
  }

  /** @returns texts unless they are long together */
  async #textsOf(ids: readonly bigint[]) {
    const facts: RecordFacts[] = []
    let texts: string[] | undefined = []
    let length = 0
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      for (const { json, ...fact } of await this.#recordsOf(ids.slice(from, from + READ_AT_ONCE))) {
        facts.push(fact)
        texts?.push(json)
        length += fact.bytes
      }
      if (length > LONG_BYTES) texts = undefined
    }
    return { facts, texts }
  }

  async *#pieces(facts: readonly RecordFacts[], end: string): AsyncGenerator<string> {
    let separator = OPENING
    for (const group of groupsOf(facts)) {
      const records = await this.#recordsOf(group.map(({ id }) => id))
      for (const [i, { digest, json }] of records.entries()) {
        // What was erased since has other bytes than those that were promised.
        if (digest !== group[i]?.digest) throw new Error('a message changed while it was sent')
        yield separator + json
        separator = ','
      }
    }
    yield end
  }

  /**
   * A listed record never changes, since one that is erased stays hidden: what was read once needs no transaction with
   * the list that it is in.
   */
  async #recordsOf(ids: readonly bigint[]): Promise<RecordText[]> {
    // Held here, since other pages may push them out of the cache meanwhile.
    const known = ids.map((id) => this.#records.get(id))
    const missing = ids.filter((_, i) => known[i] === undefined)
    if (missing.length === 0) return known as RecordText[]
    const read = new Map<bigint, RecordText>()
    for (const record of await recordsOf(this.#store.db, missing)) {
      const text = textOf(record)
      read.set(record.id, text)
      this.#records.set(record.id, text)
    }
    return ids.map((id, i) => known[i] ?? (read.get(id) as RecordText))
  }
}

/** Records by and by, each time about as many bytes. */
function* groupsOf(facts: readonly RecordFacts[]): Generator<RecordFacts[]> {
  let group: RecordFacts[] = []
  let bytes = 0
  for (const fact of facts) {
    group.push(fact)
    bytes += fact.bytes
    if (bytes < PIECE_BYTES) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}
