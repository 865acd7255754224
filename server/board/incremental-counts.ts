// Maintains counts over all visible messages in memory: each message is counted once, and all of them again after
// moderation.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { compiled } from '../database/compiled.ts'
import type { Database, Queryable } from '../database/database.ts'
import { lastModeration } from '../database/records/sequences.ts'
import { within } from '../system/system.ts'
import type { PageRequest } from '../wire/page.ts'
import { idsAfter } from './queries.ts'

/** The visible messages with ids greater than `after`, up to and including `upto`. */
export interface IdRange {
  after: bigint
  upto: bigint
}

export interface Counting<Counts> {
  begin(): Counts
  /** Called before each range to add the categories of its messages, such as new directories. */
  prepare?(db: Queryable, counts: Counts): Promise<void>
  /** Counts the messages of a range. Ranges never overlap. */
  add(db: Queryable, counts: Counts, range: IdRange): Promise<void>
}

/** Messages counted by one query: a few milliseconds, so that other requests are not held up. */
const SLICE_ROWS = 2_000

/** Time after which a page shows incomplete counts [ms]. */
const TIMEOUT_MS = 1_000

export class IncrementalCounts<Counts> {
  readonly #database: Database
  readonly #counting: Counting<Counts>
  #counts: Counts
  #version: number | null = null
  #moderation: bigint | null = null
  #after = 0n
  #pending: { prepared: Promise<void>; counted: Promise<void> } | undefined

  constructor(database: Database, counting: Counting<Counts>) {
    this.#database = database
    this.#counting = counting
    this.#counts = counting.begin()
  }

  /**
   * Returns the counts within about TIMEOUT_MS, complete or not. The first call after startup or moderation counts all
   * messages: a million take some seconds, and no page should wait that long. They never include anything hidden.
   */
  async currentOrPartial(): Promise<{ counts: Counts; isComplete: boolean }> {
    if ((await this.#database.version()) === this.#version)
      return { counts: this.#counts, isComplete: true }
    const { prepared, counted } = this.#refresh()
    await prepared
    const isComplete = await within(
      TIMEOUT_MS,
      counted.then(() => true),
      false,
    )
    // What was counted may have been hidden meanwhile.
    const isOutdated = (await lastModeration(this.#database.db)) !== this.#moderation
    return isOutdated ? this.currentOrPartial() : { counts: this.#counts, isComplete }
  }

  /** Returns the counts, or null if they cannot be complete within about TIMEOUT_MS. */
  async completeOrNull(): Promise<Counts | null> {
    const { counts, isComplete } = await this.currentOrPartial()
    return isComplete ? counts : null
  }

  #refresh() {
    if (this.#pending) return this.#pending
    const { promise: prepared, resolve, reject } = Promise.withResolvers<void>()
    const counted = this.#countNew(resolve).finally(() => {
      this.#pending = undefined
    })
    // A failure rejects both promises. Without the catch, an unawaited `prepared` would be an unhandled rejection.
    counted.then(resolve, reject)
    prepared.catch(() => {})
    this.#pending = { prepared, counted }
    return this.#pending
  }

  /** Counts the messages since the last call. Ids become visible in ascending order (API.md 4.5), so none is missed. */
  async #countNew(onPrepared: () => void): Promise<void> {
    const { db } = this.#database
    const version = await this.#database.version()
    if (version === this.#version) return
    for (;;) {
      await this.#resetIfModerated(db)
      const after = this.#after
      const [slice] = await endOfSlice(db, { after, limit: SLICE_ROWS })
      // After fixing the slice, so that the directory of each of its messages already exists.
      await this.#counting.prepare?.(db, this.#counts)
      onPrepared()
      const upto = slice?.upto
      if (upto === null || upto === undefined) break
      await this.#counting.add(db, this.#counts, { after, upto })
      this.#after = upto
      await yieldToEventLoop()
    }
    this.#version = version
  }

  /** Starts from zero after an operator action, also in the middle of counting. */
  async #resetIfModerated(db: Queryable): Promise<void> {
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
