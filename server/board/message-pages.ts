// Pages of messages as JSON: a record is turned into JSON once, and a page is a join of records.
import { hash } from 'node:crypto'
import type { Queryable, Store } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'
import { stringifyJson } from '../wire/json.ts'
import type { PageRequest } from '../wire/page.ts'
import { listMessageIds, recordsOf, requireFilter } from './queries.ts'

/** Memory for records and for pages, in characters of JSON. */
const RECORD_ROOM = 8 * 1024 * 1024
const PAGE_ROOM = 1024 * 1024

/** A page is kept from the second time on that it is asked for among this many others. */
const ASKED_BEFORE = 256

/** The body of an answer, and the strong tag of its bytes, quoted. */
export interface MessagePageText {
  body: string
  etag: string
}

/** A record as JSON, with a digest of it. */
interface RecordText {
  json: string
  digest: string
}

interface KnownPage extends MessagePageText {
  /** The version of the database that it holds for; null as long as nothing is moderated. */
  version: number | null
}

export class MessagePages {
  readonly #store: Store
  readonly #records = new Bounded<bigint, RecordText>(RECORD_ROOM, ({ json }) => json.length)
  readonly #pages = new Bounded<string, KnownPage>(PAGE_ROOM, ({ body }) => body.length)
  /** Keeping pages that nobody asks for again would only make work for the garbage collector. */
  readonly #asked = new Bounded<string, true>(ASKED_BEFORE, () => 1)
  #version: number | null = null
  #moderation: bigint | null = null

  constructor(store: Store) {
    this.#store = store
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
    if (this.#asked.has(key) && moderation === this.#moderation)
      this.#pages.set(key, { ...page, version: ids.length === asked.limit ? null : version })
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
    const records = await this.#recordsOf(this.#store.db, ids)
    const next = ids.at(-1) ?? after
    const digests = records.map(({ digest }) => digest)
    return {
      body: `{"messages":[${records.map(({ json }) => json).join(',')}],"next_cursor":${next}}`,
      etag: `"${hash('sha256', `${digests.join('')} ${next}`, 'base64url')}"`,
    }
  }

  /** A record never changes, so what was read once needs no transaction with the list that it is in. */
  async #recordsOf(db: Queryable, ids: readonly bigint[]): Promise<RecordText[]> {
    // Held here, since other pages may push them out of the cache meanwhile.
    const known = ids.map((id) => this.#records.get(id))
    const missing = ids.filter((_, i) => known[i] === undefined)
    if (missing.length === 0) return known as RecordText[]
    const read = new Map<bigint, RecordText>()
    for (const record of await recordsOf(db, missing)) {
      const json = stringifyJson(record)
      const text = { json, digest: hash('sha256', json, 'base64url') }
      read.set(record.id, text)
      this.#records.set(record.id, text)
    }
    return ids.map((id, i) => known[i] ?? (read.get(id) as RecordText))
  }
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
