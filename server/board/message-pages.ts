// Pages of messages as JSON: a record is turned into JSON once, and a page is a join of records. A long one is never in
// memory as a whole: its records are read once for their digests, and again when they are sent.
import { Bounded } from '../bounded.ts'
import type { BytesInParts } from '../http/answer.ts'
import type { LongText } from '../http/long-text.ts'
import type { Store } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'
import type { PageRequest } from '../wire/page.ts'
import { MessageBlocks } from './message-blocks.ts'
import { listMessageIds, recordsOf, requireFilter } from './queries.ts'
import {
  etagOfPage,
  OPENING,
  pageEnd,
  type RecordFacts,
  type RecordText,
  textOf,
} from './record-text.ts'

/** Memory for records [characters of JSON] and for pages [bytes]. */
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
export interface MessagePageText<Body = Uint8Array | BytesInParts | LongText> {
  body: Body
  etag: string
}

interface KnownPage extends MessagePageText<Uint8Array> {
  /** The version of the database that it holds for; null for a full page, which only moderation changes. */
  version: number | null
}

/** A page that was asked for: of one directory, or of all. */
interface Wanted extends PageRequest<bigint> {
  path: string | undefined
  /** Differs for every page. */
  key: string
}

/** What holds until an operator acts. */
interface Kept {
  /** The latest operator action. */
  moderation: bigint
  blocks: MessageBlocks
  pages: Bounded<string, KnownPage>
}

export class MessagePages {
  readonly #store: Store
  readonly #onBroken: (error: unknown) => void
  readonly #records = new Bounded<bigint, RecordText>(RECORD_ROOM, ({ json }) => json.length)
  /** Keeping pages that nobody asks for again would only make work for the garbage collector. */
  readonly #asked = new Bounded<string, true>(ASKED_BEFORE, () => 1)
  #kept: Kept | undefined
  /** The version of the database at which that was found to hold. */
  #version: number | null = null

  /** @param onBroken called when a page could not be sent to its end */
  constructor(store: Store, onBroken: (error: unknown) => void) {
    this.#store = store
    this.#onBroken = onBroken
  }

  /**
   * @param path of the directory that the page is of; of all without one
   * @returns at once what is in memory, if the version of the database is known at once
   * @throws Problem invalid_directory, directory_not_found
   */
  page(asked: PageRequest<bigint>, path?: string): MessagePageText | Promise<MessagePageText> {
    const all = `${asked.after} ${asked.limit}`
    // Any text may come as a path: none of them gives the key of all messages.
    const wanted = { ...asked, path, key: path === undefined ? all : `${all} ${path}` }
    const version = this.#store.version()
    if (typeof version !== 'number')
      return version.then((version) => this.#find(wanted, version) ?? this.#read(wanted, version))
    return this.#find(wanted, version) ?? this.#read(wanted, version)
  }

  /** The page, if it is in memory. */
  #find(wanted: Wanted, version: number): MessagePageText | undefined {
    if (!this.#kept || version !== this.#version) return undefined
    const { blocks, pages } = this.#kept
    const known = pages.get(wanted.key)
    if (known && (known.version === null || known.version === version)) return known
    const page = wanted.path === undefined ? blocks.find(wanted) : undefined
    return page && this.#keep(this.#kept, wanted, page, null)
  }

  async #read(wanted: Wanted, version: number): Promise<MessagePageText> {
    const kept = await this.#keptAt(version)
    const { path, limit } = wanted
    const ofBlocks = path === undefined ? await kept.blocks.read(wanted, version) : undefined
    if (ofBlocks) return this.#keep(kept, wanted, ofBlocks, null)
    const ids = await this.#ids(wanted)
    const page = await this.#write(ids, wanted)
    return this.#keep(kept, wanted, page, ids.length === limit ? null : version)
  }

  /** Keeps a page that was asked for before. @param version as KnownPage has it */
  #keep(
    { pages }: Kept,
    { key }: Wanted,
    page: MessagePageText,
    version: KnownPage['version'],
  ): MessagePageText {
    const { body, etag } = page
    if (!('pieces' in body) && this.#asked.has(key)) {
      const whole = 'parts' in body ? Buffer.concat(body.parts, body.length) : body
      pages.set(key, { body: whole, etag, version })
    }
    this.#asked.set(key, true)
    return page
  }

  /** After an operator action, an empty one: a request that began before still adds to that of before. */
  async #keptAt(version: number): Promise<Kept> {
    if (this.#kept && version === this.#version) return this.#kept
    const moderation = await lastModeration(this.#store.db)
    if (moderation !== this.#kept?.moderation)
      this.#kept = {
        moderation,
        blocks: new MessageBlocks(this.#store, moderation),
        pages: new Bounded(PAGE_ROOM, ({ body }) => body.length),
      }
    this.#version = version
    return this.#kept
  }

  #ids({ path, ...asked }: Wanted): Promise<bigint[]> {
    if (path === undefined) return listMessageIds(this.#store.db, asked)
    return this.#store.read(async (tx) => listMessageIds(tx, asked, await requireFilter(tx, path)))
  }

  async #write(ids: readonly bigint[], { after }: PageRequest<bigint>): Promise<MessagePageText> {
    const { facts, texts } = await this.#textsOf(ids)
    const next = ids.at(-1) ?? after
    const etag = etagOfPage(facts.map(({ digest }) => digest).join(''), next)
    const end = pageEnd(next)
    if (texts) return { body: Buffer.from(`${OPENING}${texts.join(',')}${end}`), etag }
    const records = facts.reduce((sum, { bytes }) => sum + bytes, 0)
    const length = OPENING.length + records + facts.length - 1 + end.length
    const pieces = () => this.#pieces(OPENING, facts, end)
    return { body: { length, pieces, onBroken: this.#onBroken }, etag }
  }

  /** @returns texts unless they are long together */
  async #textsOf(ids: readonly bigint[]): Promise<{ facts: RecordFacts[]; texts?: string[] }> {
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
