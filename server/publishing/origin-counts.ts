// What each origin has published in the windows that are open. The database has a row for each batch, appended to those
// before it; a process adds them up in memory. A row for each origin would lie at a random place of a tree, so that every
// publication would write a page of its own.
import type { Transaction } from 'kysely'
import { compiled, compiledInsert } from '../store/compiled.ts'
import type { Schema } from '../store/schema.ts'

/** A window of every origin: a limit's name, and its end [ms since 1970]. */
export interface OriginWindow {
  name: string
  ends_at: number
}

/** A window as far as this process has read it. */
interface Tally {
  endsAt: number
  /** Number of the last batch that was added. */
  batch: bigint
  /** By origin. */
  counts: Map<string, number>
}

/** How often each origin has published in a batch. */
type Added = readonly (readonly [origin: string, count: number])[]

const findBatches = compiled(
  (db, { name, ends_at, after }: { name: string; ends_at: bigint; after: bigint }) =>
    db
      .selectFrom('origin_counts')
      .select(['batch', 'counts'])
      .where('ends_at', '=', ends_at)
      .where('name', '=', name)
      .where('batch', '>', after)
      .orderBy('batch'),
)

const insertBatch = compiledInsert('origin_counts')

export class OriginCounts {
  /** The latest window of each limit. */
  readonly #tallies = new Map<string, Tally>()

  /** Adds what any process has counted since. The transaction holds the write lock, so that no batch is missing. */
  async read(tx: Transaction<Schema>, window: OriginWindow): Promise<ReadonlyMap<string, number>> {
    const tally = this.#tallyOf(window)
    const { name, ends_at } = window
    const rows = await findBatches(tx, { name, ends_at: BigInt(ends_at), after: tally.batch })
    for (const { batch, counts } of rows) {
      for (const [origin, count] of JSON.parse(counts) as Added)
        tally.counts.set(origin, (tally.counts.get(origin) ?? 0) + count)
      tally.batch = batch
    }
    return tally.counts
  }

  /** Writes the next batch of a window that this transaction has read. Memory has it once it is read: it may be rolled back. */
  async write(tx: Transaction<Schema>, window: OriginWindow, added: Added): Promise<void> {
    const { batch } = this.#tallyOf(window)
    await insertBatch(tx, [{ ...window, batch: batch + 1n, counts: JSON.stringify(added) }])
  }

  #tallyOf({ name, ends_at }: OriginWindow): Tally {
    const known = this.#tallies.get(name)
    if (known?.endsAt === ends_at) return known
    const tally = { endsAt: ends_at, batch: 0n, counts: new Map() }
    this.#tallies.set(name, tally)
    return tally
  }
}
