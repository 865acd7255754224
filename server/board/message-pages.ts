// Returns pages of messages as JSON from the cheapest source: a cached page, cached blocks of neighbouring messages
// (message-blocks.ts), or the records themselves (record-pages.ts).
import { BoundedMap } from '../bounded-map.ts'
import type { Store } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'
import type { PageRequest } from '../wire/page.ts'
import { MessageBlocks } from './message-blocks.ts'
import { listMessageIds, requireFilter } from './queries.ts'
import { RecordPages } from './record-pages.ts'
import type { PageText } from './record-text.ts'

/** Size of the page cache [bytes]. */
const MAX_CACHED_BYTES = 1024 * 1024

/** A page is cached if it is requested again within this many distinct pages. */
const RECENT_KEYS = 256

interface CachedPage extends PageText<Uint8Array> {
  /** The database version for which it is current; null for a full page, which only moderation changes. */
  version: number | null
}

/** A request for a page of one directory, or of all messages if `path` is undefined. */
interface PageQuery extends PageRequest<bigint> {
  path: string | undefined
  /** Identifies the page in the cache. */
  key: string
}

/** Everything in memory. It is replaced after each operator action, so that no hidden or erased text stays in it. */
interface PageCache {
  /** The latest operator action when it was created. */
  moderation: bigint
  records: RecordPages
  blocks: MessageBlocks
  pages: BoundedMap<string, CachedPage>
}

export class MessagePages {
  readonly #store: Store
  readonly #onBroken: (error: unknown) => void
  /** Recently requested pages. Caching a page that is requested only once would burden the garbage collector. */
  readonly #recentKeys = new BoundedMap<string, true>(RECENT_KEYS, () => 1)
  #cache: PageCache | undefined
  /** The database version at which #cache was last found valid. */
  #version: number | null = null

  /** @param onBroken called when a page could not be sent completely */
  constructor(store: Store, onBroken: (error: unknown) => void) {
    this.#store = store
    this.#onBroken = onBroken
  }

  /**
   * @param path of the directory; without it the page is of all messages
   * @returns the page, without a promise if it is cached and the database version is known synchronously
   * @throws Problem invalid_directory, directory_not_found
   */
  page(request: PageRequest<bigint>, path?: string): PageText | Promise<PageText> {
    const all = `${request.after} ${request.limit}`
    // The path is unchecked input. With the space before it, no path yields the key of all messages.
    const query = { ...request, path, key: path === undefined ? all : `${all} ${path}` }
    const at = (version: number) => this.#find(query, version) ?? this.#read(query, version)
    const version = this.#store.version()
    return typeof version === 'number' ? at(version) : version.then(at)
  }

  /** Returns the page if it is in memory. */
  #find(query: PageQuery, version: number): PageText | undefined {
    if (!this.#cache || version !== this.#version) return undefined
    const { blocks, pages } = this.#cache
    const cached = pages.get(query.key)
    if (cached && (cached.version === null || cached.version === version)) return cached
    const page = query.path === undefined ? blocks.find(query) : undefined
    return page && this.#addTo(this.#cache, query, page, null)
  }

  async #read(query: PageQuery, version: number): Promise<PageText> {
    const cache = await this.#cacheAt(version)
    const { path, limit } = query
    const fromBlocks = path === undefined ? await cache.blocks.read(query, version) : undefined
    if (fromBlocks) return this.#addTo(cache, query, fromBlocks, null)
    const ids = await this.#ids(query)
    const page = await cache.records.write(ids, query.after)
    return this.#addTo(cache, query, page, ids.length === limit ? null : version)
  }

  /** Caches a page that was requested recently, unless it is streamed, and returns it. */
  #addTo(
    { pages }: PageCache,
    { key }: PageQuery,
    page: PageText,
    version: CachedPage['version'],
  ): PageText {
    const { body, etag } = page
    if (!('chunks' in body) && this.#recentKeys.get(key)) {
      const whole = 'parts' in body ? Buffer.concat(body.parts, body.length) : body
      pages.set(key, { body: whole, etag, version })
    }
    this.#recentKeys.set(key, true)
    return page
  }

  /** Replaces the cache after an operator action. Requests in flight then fill the old one, which is no longer used. */
  async #cacheAt(version: number): Promise<PageCache> {
    if (this.#cache && version === this.#version) return this.#cache
    const moderation = await lastModeration(this.#store.db)
    if (moderation !== this.#cache?.moderation)
      this.#cache = {
        moderation,
        records: new RecordPages(this.#store, this.#onBroken),
        blocks: new MessageBlocks(this.#store, moderation),
        pages: new BoundedMap(MAX_CACHED_BYTES, ({ body }) => body.length),
      }
    this.#version = version
    return this.#cache
  }

  #ids({ path, ...request }: PageQuery): Promise<bigint[]> {
    if (path === undefined) return listMessageIds(this.#store.db, request)
    return this.#store.read(async (tx) =>
      listMessageIds(tx, request, await requireFilter(tx, path)),
    )
  }
}
