// Keeps what many read for a second: pages, each rendered and compressed once for each state of the database, and what
// requests for files have found.
import { BoundedMap } from '../../archive/base/bounded-map.ts'
import type { Clock } from '../system/system.ts'
import type { CachePolicy } from '../wire/endpoint.ts'
import { type Answer, ReadyText, type TextKind, textHeaders } from './answer.ts'
import type { Call } from './call.ts'

/** The size of all that is kept [bytes]; that of pages uncompressed. */
const MAX_BYTES = 4 * 1024 * 1024
/**
 * What a page shows of the archive, the clock and the process may be as old as this [ms]. An operator's switch must take
 * effect within a second, too (API.md 8.3).
 */
const KEEP_MS = 1_000

export interface Page {
  kind: TextKind
  text: string
  mayConnect?: boolean
}

interface KeptPage {
  text: ReadyText
  mayConnect: boolean
}

interface Kept {
  value: unknown
  bytes: number
  until: number
}

export class KeptPages {
  readonly #kept = new BoundedMap<string, Kept>(MAX_BYTES, ({ bytes }) => bytes)
  readonly #version: () => number | Promise<number>
  readonly #clock: Pick<Clock, 'monotonic'>

  /** @param version returns a number that changes with every commit */
  constructor(version: () => number | Promise<number>, clock: Pick<Clock, 'monotonic'>) {
    this.#version = version
    this.#clock = clock
  }

  /**
   * Responds with a page that depends on nothing of the request but its address and host. One with a query is not kept:
   * crawlers read each of these once.
   * @throws what `render` throws
   */
  async answer(call: Call, cache: CachePolicy, render: () => Promise<Page>): Promise<Answer> {
    const make = async (): Promise<KeptPage> => {
      const { kind, text, mayConnect = false } = await render()
      return { text: new ReadyText(text, textHeaders(kind, cache)), mayConnect }
    }
    const { text, mayConnect } = call.hasQuery ? await make() : await this.#page(call, make)
    return { ...(await text.answer(call)), mayConnect }
  }

  async #page({ host, pathname }: Call, make: () => Promise<KeptPage>): Promise<KeptPage> {
    // Read before the page is rendered, which may include a later commit.
    const key = `${await this.#version()} ${host}${pathname}`
    return this.find(key, make, ({ text }) => text.bytes.length)
  }

  /**
   * Returns what `make` returned for the key within the last second; without a promise, if it is complete.
   * @param key belongs to one kind of value
   * @throws what `make` throws
   */
  find<T>(key: string, make: () => Promise<T>, sizeOf: (value: T) => number): T | Promise<T> {
    const now = this.#clock.monotonic()
    const kept = this.#kept.get(key)
    if (kept && now < kept.until) return kept.value as T | Promise<T>
    const until = now + KEEP_MS
    const value = make().then(
      (made) => {
        this.#kept.set(key, { value: made, bytes: sizeOf(made), until })
        return made
      },
      (error) => {
        this.#kept.delete(key)
        throw error
      },
    )
    this.#kept.set(key, { value, bytes: 0, until })
    return value
  }
}
