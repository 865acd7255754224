// Pages of messages as JSON: a record is turned into JSON once, and a page is a join of records. A long one is never in
// memory as a whole: its records are read once for their digests, and again when they are sent.
import { hash } from 'node:crypto'
import type { LongText } from '../http/long-text.ts'
import type { Store } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'
import { stringifyJson } from '../wire/json.ts'
import type { PageRequest } from '../wire/page.ts'
import type { MessageRecord } from './api.ts'
import { listMessageIds, recordsOf, requireFilter } from './queries.ts'

/** Memory for records and for pages, in characters of JSON. */
const RECORD_ROOM = 8 * 1024 * 1024
const PAGE_ROOM = 1024 * 1024

/** A page is kept from the second time on that it is asked for among this many others. */
const ASKED_BEFORE = 256

/** Pages with more JSON than this are sent in pieces [bytes]. */
const LONG_BYTES = 256 * 1024
/** Records that are read at once: a message has at most 16 KiB of text. */
const READ_AT_ONCE = 16
/** Records that are sent at once have about as much JSON [bytes]. */
const PIECE_BYTES = 32 * 1024

/** The body of an answer, and the strong tag of its bytes, quoted. */
export interface MessagePageText<Body = string | LongText> {
  body: Body
  etag: string
}

/** What a page knows of a record without its text. */
interface RecordFacts {
  id: bigint
  digest: string
  /** Of its JSON. */
  bytes: number
}

interface RecordText extends RecordFacts {
  json: string
}

interface KnownPage extends MessagePageText<string> {
  /** The version of the database that it holds for; null as long as nothing is moderated. */
  version: number | null
}

export class MessagePages {
  readonly #store: Store
  readonly #onBroken: (error: unknown) => void
  readonly #records = new Bounded<bigint, RecordText>(RECORD_ROOM, ({ json }) => json.length)
  readonly #pages = new Bounded<string, KnownPage>(PAGE_ROOM, ({ body }) => body.length)
  /** Keeping pages that nobody asks for again would only make work for the garbage collector. */
  readonly #asked = new Bounded<string, true>(ASKED_BEFORE, () => 1)
  #version: number | null = null
  #moderation: bigint | null = null

  /** @param onBroken called when a page could not be sent to its end */
  constructor(store: Store, onBroken: (error: unknown) => void) {
    this.#store = store
    this.#onBroken = onBroken
  }

  /**
   * @param path of the directory that the page is of; of all without one
   * @throws Problem invalid_directory, directory_not_found
   */
  async page(asked: PageRequest<bigint>, path?: string): Promise<MessagePageText> {
    const version = await this.#store.version()
    if (version !== this.#version) await this.#forgetModerated(version)
    const key = `${asked.after} ${asked.limit} ${path ?? '*'}`
    const known = this.#pages.get(key)
    if (known && (known.version === null || known.version === version)) return known
    const moderation = this.#moderation
    const ids = await this.#ids(asked, path)
    const page = await this.#write(ids, asked)
    // Moderation alone changes a page that is full; one that was read before it must not be kept.
    const { body, etag } = page
    if (typeof body === 'string' && this.#asked.has(key) && moderation === this.#moderation)
      this.#pages.set(key, { body, etag, version: ids.length === asked.limit ? null : version })
    this.#asked.set(key, true)
    return page
  }

  async #forgetModerated(version: number): Promise<void> {
    const moderation = await lastModeration(this.#store.db)
    if (moderation !== this.#moderation) this.#pages.clear()
    this.#moderation = moderation
    this.#version = version
  }

  #ids(asked: PageRequest<bigint>, path: string | undefined): Promise<bigint[]> {
    if (path === undefined) return listMessageIds(this.#store.db, asked)
    return this.#store.read(async (tx) => listMessageIds(tx, asked, await requireFilter(tx, path)))
  }

  async #write(ids: readonly bigint[], { after }: PageRequest<bigint>): Promise<MessagePageText> {
    const { facts, texts } = await this.#read(ids)
    const next = ids.at(-1) ?? after
    const digests = facts.map(({ digest }) => digest)
    const etag = `"${hash('sha256', `${digests.join('')} ${next}`, 'base64url')}"`
    const [opening, closing] = ['{"messages":[', `],"next_cursor":${next}}`]
    if (texts) return { body: `${opening}${texts.join(',')}${closing}`, etag }
    const records = facts.reduce((sum, { bytes }) => sum + bytes, 0)
    const length = opening.length + records + facts.length - 1 + closing.length
    const pieces = () => this.#pieces(opening, facts, closing)
    return { body: { length, pieces, onBroken: this.#onBroken }, etag }
  }

  /** @returns texts unless they are long together */
  async #read(ids: readonly bigint[]): Promise<{ facts: RecordFacts[]; texts?: string[] }> {
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
    return { facts, ...(texts && { texts }) }
  }

  async *#pieces(
    opening: string,
    facts: readonly RecordFacts[],
    closing: string,
  ): AsyncGenerator<string> {
    let separator = opening
    for (const group of groupsOf(facts)) {
      const records = await this.#recordsOf(group.map(({ id }) => id))
      for (const [i, { digest, json }] of records.entries()) {
        // What was erased since has other bytes than those that were promised.
        if (digest !== group[i]?.digest) throw new Error('a message changed while it was sent')
        yield separator + json
        separator = ','
      }
    }
    yield closing
  }

  /** A record never changes, so what was read once needs no transaction with the list that it is in. */
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

function textOf(record: MessageRecord): RecordText {
  const json = stringifyJson(record)
  const digest = hash('sha256', json, 'base64url')
  return { id: record.id, digest, bytes: Buffer.byteLength(json), json }
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

/** A map that forgets what was added first when it runs out of room. */
class Bounded<Key, Value> {
  readonly #map = new Map<Key, Value>()
  readonly #room: number
  readonly #sizeOf: (value: Value) => number
  #size = 0

  constructor(room: number, sizeOf: (value: Value) => number) {
    this.#room = room
    this.#sizeOf = sizeOf
  }

  has(key: Key): boolean {
    return this.#map.has(key)
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  set(key: Key, value: Value): void {
    this.#delete(key)
    this.#map.set(key, value)
    this.#size += this.#sizeOf(value)
    for (const oldest of this.#map.keys()) {
      if (this.#size <= this.#room) break
      this.#delete(oldest)
    }
  }

  clear(): void {
    this.#map.clear()
    this.#size = 0
  }

  #delete(key: Key): void {
    const value = this.#map.get(key)
    if (value === undefined) return
    this.#size -= this.#sizeOf(value)
    this.#map.delete(key)
  }
}
