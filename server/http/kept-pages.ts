// Keeps pages that many read, so that each is rendered and compressed once for each state of the database.
import { BoundedMap } from '../../archive/base/bounded-map.ts'
import type { Clock } from '../system.ts'
import type { CachePolicy } from '../wire/endpoint.ts'
import { type Answer, type TextKind, textHeaders } from './answer.ts'
import type { Call } from './call.ts'
import { ReadyText } from './ready-text.ts'

/** The uncompressed bytes of the pages kept. */
const MAX_BYTES = 4 * 1024 * 1024
/** What a page shows of the archive, the clock and the process may be as old as this [ms]. */
const KEEP_MS = 1_000

/** A page as it is rendered. */
export interface Page {
  kind: TextKind
  text: string
  /** See Answer. */
  mayConnect?: boolean
}

interface KeptPage {
  text: ReadyText
  mayConnect: boolean
  /** The database's version when the page was rendered. */
  version: number
  until: number
}

export class KeptPages {
  readonly #pages = new BoundedMap<string, KeptPage>(MAX_BYTES, ({ text }) => text.bytes.length)
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
    const { text, mayConnect } = await this.#find(call, cache, render)
    return { ...(await text.answer(call)), mayConnect }
  }

  async #find(call: Call, cache: CachePolicy, render: () => Promise<Page>): Promise<KeptPage> {
    // Read before the page is rendered, which may include a later commit.
    const version = await this.#version()
    const now = this.#clock.monotonic()
    const key = `${call.host}${call.pathname}`
    const kept = call.hasQuery ? undefined : this.#pages.get(key)
    if (kept?.version === version && now < kept.until) return kept
    const { kind, text, mayConnect = false } = await render()
    const headers = textHeaders(kind, cache)
    const page = { text: new ReadyText(text, headers), mayConnect, version, until: now + KEEP_MS }
    if (!call.hasQuery) this.#pages.set(key, page)
    return page
  }
}
