// Pages of messages as JSON, from where they cost least: a whole page that was asked for before, the blocks that a page of
// all messages is cut from (message-blocks.ts), or the records that it is written from (record-pages.ts).
import { Bounded } from '../bounded.ts'
import type { Store } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'
import type { PageRequest } from '../wire/page.ts'
import { MessageBlocks } from './message-blocks.ts'
import { listMessageIds, requireFilter } from './queries.ts'
import { RecordPages } from './record-pages.ts'
import type { PageText } from './record-text.ts'

/** Memory for whole pages [bytes]. */
const PAGE_ROOM = 1024 * 1024

/** A page is kept from the second time on that it is asked for among this many others. */
const ASKED_BEFORE = 256

interface KnownPage extends PageText<Uint8Array> {
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
  readonly #records: RecordPages
  /** Keeping pages that nobody asks for again would only make work for the garbage collector. */
  readonly #asked = new Bounded<string, true>(ASKED_BEFORE, () => 1)
  #kept: Kept | undefined
  /** The version of the database at which that was found to hold. */
  #version: number | null = null

  /** @param onBroken called when a page could not be sent to its end */
  constructor(store: Store, onBroken: (error: unknown) => void) {
    this.#store = store
    this.#records = new RecordPages(store, onBroken)
  }

  /**
   * @param path of the directory that the page is of; of all without one
   * @returns at once what is in memory, if the version of the database is known at once
   * @throws Problem invalid_directory, directory_not_found
   */
  page(asked: PageRequest<bigint>, path?: string): PageText | Promise<PageText> {
    const all = `${asked.after} ${asked.limit}`
    // Any text may come as a path: none of them gives the key of all messages.
    const wanted = { ...asked, path, key: path === undefined ? all : `${all} ${path}` }
    const at = (version: number) => this.#find(wanted, version) ?? this.#read(wanted, version)
    const version = this.#store.version()
    return typeof version === 'number' ? at(version) : version.then(at)
  }

  /** The page, if it is in memory. */
  #find(wanted: Wanted, version: number): PageText | undefined {
    if (!this.#kept || version !== this.#version) return undefined
    const { blocks, pages } = this.#kept
    const known = pages.get(wanted.key)
    if (known && (known.version === null || known.version === version)) return known
    const page = wanted.path === undefined ? blocks.find(wanted) : undefined
    return page && this.#keep(this.#kept, wanted, page, null)
  }

  async #read(wanted: Wanted, version: number): Promise<PageText> {
    const kept = await this.#keptAt(version)
    const { path, limit } = wanted
    const ofBlocks = path === undefined ? await kept.blocks.read(wanted, version) : undefined
    if (ofBlocks) return this.#keep(kept, wanted, ofBlocks, null)
    const ids = await this.#ids(wanted)
    const page = await this.#records.write(ids, wanted.after)
    return this.#keep(kept, wanted, page, ids.length === limit ? null : version)
  }

  /** Keeps a page that was asked for before. @param version as KnownPage has it */
  #keep({ pages }: Kept, { key }: Wanted, page: PageText, version: KnownPage['version']): PageText {
    const { body, etag } = page
    if (!('pieces' in body) && this.#asked.get(key)) {
      const whole = 'parts' in body ? Buffer.concat(body.parts, body.length) : body
      pages.set(key, { body: whole, etag, version })
    }
    this.#asked.set(key, true)
    return page
  }

  /** After an operator action it is a new one: a request that began before fills the old one, which nobody asks again. */
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
}
