// Counts over all visible messages, kept in memory between requests: each message is counted once, and all of them again
// after moderation.
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises'
import { compiled } from '../store/compiled.ts'
import type { Queryable, Store } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'
import type { PageRequest } from '../wire/page.ts'
import { idsAfter } from './queries.ts'

/** The visible messages with ids above `after`, up to and including `upto`. */
export interface IdRange {
  after: bigint
  upto: bigint
}

/** What is counted. */
export interface Counting<Counts> {
  /** Counts of nothing yet. */
  begin(): Counts
  /** Called before each range: brings in what its messages are counted by. */
  prepare?(db: Queryable, counts: Counts): Promise<void>
  /** Adds the messages of a range, each of which is added once. */
  add(db: Queryable, counts: Counts, range: IdRange): Promise<void>
}

/** Messages counted by one query: some milliseconds, after which other requests are answered. */
const SLICE_ROWS = 2_000

/** How long a page waits for the counts before it does without them [ms]. */
const TIMEOUT_MS = 200

export class KeptCounts<Counts> {
  readonly #store: Store
  readonly #counting: Counting<Counts>
  #counts: Counts
  #version: number | null = null
  #moderation: bigint | null = null
  #after = 0n
  #pending: { prepared: Promise<void>; counted: Promise<void> } | undefined

  constructor(store: Store, counting: Counting<Counts>) {
    this.#store = store
    this.#counting = counting
    this.#counts = counting.begin()
  }

  /** The counts of all that is visible. The first call after a start or a moderation counts everything. */
  async current(): Promise<Counts> {
    await this.#refresh().counted
    return (await this.#isModerated()) ? this.current() : this.#counts
  }

  /**
   * The counts, complete or as far as they have come in a moment: a million messages take some seconds, for which no
   * page should wait. Nothing that is hidden is in them.
   */
  async soon(): Promise<{ counts: Counts; isComplete: boolean }> {
    const { prepared, counted } = this.#refresh()
    await prepared
    const timeout = pause(TIMEOUT_MS, false, { ref: false })
    const isComplete = await Promise.race([counted.then(() => true), timeout])
    return (await this.#isModerated()) ? this.soon() : { counts: this.#counts, isComplete }
  }

  #refresh() {
    if (this.#pending) return this.#pending
    const { promise: prepared, resolve, reject } = Promise.withResolvers<void>()
    const counted = this.#countNew(resolve).finally(() => {
      this.#pending = undefined
    })
    // A failure reaches whoever waits for either.
    counted.then(resolve, reject)
    prepared.catch(() => {})
    this.#pending = { prepared, counted }
    return this.#pending
  }

  /** Ids become visible in ascending order (API.md 4.5), so nothing appears later below what is counted. */
  async #countNew(onPrepared: () => void): Promise<void> {
    const { db } = this.#store
    const version = await this.#store.version()
    if (version === this.#version) return
    for (;;) {
      await this.#forgetModerated(db)
      const after = this.#after
      const [slice] = await endOfSlice(db, { after, limit: SLICE_ROWS })
      // After the slice is fixed: a directory is older than its messages.
      await this.#counting.prepare?.(db, this.#counts)
      onPrepared()
      const upto = slice?.upto
      if (upto === null || upto === undefined) break
      await this.#counting.add(db, this.#counts, { after, upto })
      this.#after = upto
      await breathe()
    }
    this.#version = version
  }

  /** Counts that were in progress when something was hidden may still include it. */
  async #isModerated(): Promise<boolean> {
    return (await lastModeration(this.#store.db)) !== this.#moderation
  }

  /** Begins again where something was hidden, shown or reviewed, also in the midst of counting. */
  async #forgetModerated(db: Queryable): Promise<void> {
    const moderation = await lastModeration(db)
    if (moderation === this.#moderation) return
    this.#counts = this.#counting.begin()
    this.#after = 0n
    this.#moderation = moderation
  }
}

const endOfSlice = compiled((db, { after, limit }: PageRequest<bigint>) =>
  db
    .selectFrom(idsAfter(db, { after, limit }).as('slice'))
    .select((eb) => eb.fn.max('id').as('upto')),
)
