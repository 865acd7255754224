// Writes pages of messages from cached records. A long page is never in memory as a whole: its records are read once
// for their digests, and again while it is sent.
import { BoundedMap } from '../bounded-map.ts'
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

/** Size of the record cache [characters of JSON]. */
const MAX_CACHED_CHARACTERS = 8 * 1024 * 1024

/** Pages with more JSON than this are streamed [bytes]. */
const LONG_BYTES = 256 * 1024
/** Records read by one query. The body of a message has at most 16 KiB. */
const READ_BATCH = 16
/** Approximate JSON of the records read for one step of a streamed page [bytes]. */
const GROUP_BYTES = 32 * 1024

/** Caches records. Valid until the next operator action; the caller then discards the instance. */
export class RecordPages {
  readonly #store: Store
  readonly #onBroken: (error: unknown) => void
  readonly #records = new BoundedMap<bigint, RecordText>(
    MAX_CACHED_CHARACTERS,
    ({ json }) => json.length,
  )

  /** @param onBroken called when a page could not be sent completely */
  constructor(store: Store, onBroken: (error: unknown) => void) {
    this.#store = store
    this.#onBroken = onBroken
  }

  /**
   * Returns the page of these messages, which is streamed if it is long.
   * @param ids of its messages, ascending
   * @param after the cursor of the request, which an empty page returns as its own
   */
  async write(ids: readonly bigint[], after: bigint): Promise<PageText> {
    const { facts, texts } = await this.#textsOf(ids)
    const next = ids.at(-1) ?? after
    const etag = etagOfPage(facts.map(({ digest }) => digest).join(''), next)
    const end = pageEnd(next)
    if (texts) return { body: Buffer.from(`${OPENING}${texts.join(',')}${end}`), etag }
    const records = facts.reduce((sum, { bytes }) => sum + bytes, 0)
    const length = OPENING.length + records + facts.length - 1 + end.length
    const chunks = () => this.#chunks(facts, end)
    return { body: { length, chunks, onBroken: this.#onBroken }, etag }
  }

  /** Returns the digests of the records, and their JSON unless it exceeds LONG_BYTES in total. */
  async #textsOf(ids: readonly bigint[]) {
    const facts: RecordFacts[] = []
    let texts: string[] | undefined = []
    let length = 0
    for (let from = 0; from < ids.length; from += READ_BATCH) {
      for (const { json, ...fact } of await this.#recordsOf(ids.slice(from, from + READ_BATCH))) {
        facts.push(fact)
        texts?.push(json)
        length += fact.bytes
      }
      if (length > LONG_BYTES) texts = undefined
    }
    return { facts, texts }
  }

  async *#chunks(facts: readonly RecordFacts[], end: string): AsyncGenerator<string> {
    let separator = OPENING
    for (const group of groupsOf(facts)) {
      const records = await this.#recordsOf(group.map(({ id }) => id))
      for (const [i, { digest, json }] of records.entries()) {
        // An erased record no longer has the bytes that the ETag and Content-Length promise.
        if (digest !== group[i]?.digest)
          throw new Error('a message changed while its page was being sent')
        yield separator + json
        separator = ','
      }
    }
    yield end
  }

  /**
   * Reads records from the cache or the database, in the order of the ids. A listed record never changes, because an
   * erased one stays hidden, so reading it needs no transaction with the query that listed it.
   */
  async #recordsOf(ids: readonly bigint[]): Promise<RecordText[]> {
    // Keep references, because concurrent pages may evict them from the cache.
    const cached = ids.map((id) => this.#records.get(id))
    const missing = ids.filter((_, i) => cached[i] === undefined)
    if (missing.length === 0) return cached as RecordText[]
    const read = new Map<bigint, RecordText>()
    for (const record of await recordsOf(this.#store.db, missing)) {
      const text = textOf(record)
      read.set(record.id, text)
      this.#records.set(record.id, text)
    }
    return ids.map((id, i) => cached[i] ?? (read.get(id) as RecordText))
  }
}

/** Splits records into consecutive groups of about GROUP_BYTES of JSON. */
function* groupsOf(facts: readonly RecordFacts[]): Generator<RecordFacts[]> {
  let group: RecordFacts[] = []
  let bytes = 0
  for (const fact of facts) {
    group.push(fact)
    bytes += fact.bytes
    if (bytes < GROUP_BYTES) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}
