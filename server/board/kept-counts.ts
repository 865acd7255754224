// Counts over all visible messages, kept in memory between requests: each message is counted once, and all of them again
// after moderation.
import { setImmediate as breathe } from 'node:timers/promises'
import { compiled } from '../store/compiled.ts'
import { NOT_SWEPT, type Queryable, type Store, VISIBLE } from '../store/database.ts'
import { lastModeration } from '../store/sequences.ts'

/** The visible messages with ids above `after`, up to and including `upto`. */
export interface IdRange {
  after: bigint
  upto: bigint
}

/** What is counted. */
export interface Counting<Counts> {
  /** Counts of nothing yet. */
  begin(): Counts
  /** Called before messages are counted: brings in what they are counted by. */
  prepare?(db: Queryable, counts: Counts): Promise<void>
  /** Adds the messages of a range, each of which is added once. */
  add(db: Queryable, counts: Counts, range: IdRange): Promise<void>
}

/** Messages counted by one query: some milliseconds, after which other requests are answered. */
const SLICE_ROWS = 2_000

export class KeptCounts<Counts> {
  readonly #store: Store
  readonly #counting: Counting<Counts>
  #counts: Counts
  #version: number | null = null
  #moderation: bigint | null = null
  #after = 0n
  #pending: Promise<Counts> | undefined

  constructor(store: Store, counting: Counting<Counts>) {
    this.#store = store
    this.#counting = counting
    this.#counts = counting.begin()
  }

  /** The counts of all that is visible. The first call after a start or a moderation counts everything. */
  current(): Promise<Counts> {
    this.#pending ??= this.#refresh().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #refresh(): Promise<Counts> {
    const { db } = this.#store
    const version = await this.#store.version()
    if (version === this.#version) return this.#counts
    const moderation = await lastModeration(db)
    if (moderation !== this.#moderation) {
      this.#counts = this.#counting.begin()
      this.#after = 0n
      this.#moderation = moderation
    }
    await this.#countNew(db, this.#counts)
    this.#version = version
    return this.#counts
  }

  /** Ids become visible in ascending order (API.md 4.5), so nothing appears later below what is counted. */
  async #countNew(db: Queryable, counts: Counts): Promise<void> {
    await this.#counting.prepare?.(db, counts)
    for (;;) {
      const after = this.#after
      const [slice] = await endOfSlice(db, { after, rows: SLICE_ROWS })
      const upto = slice?.upto
      if (upto === null || upto === undefined) return
      await this.#counting.add(db, counts, { after, upto })
      this.#after = upto
      await breathe()
    }
  }
}

const endOfSlice = compiled((db, { after, rows }: { after: bigint; rows: number }) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('messages')
        .select('id')
        .where('visible', '=', VISIBLE)
        .where(NOT_SWEPT)
        .where('id', '>', after)
        .orderBy('id')
        .limit(rows)
        .as('slice'),
    )
    .select((eb) => eb.fn.max('id').as('upto')),
)
