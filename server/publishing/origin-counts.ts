// Counts the publications of each origin in the current windows. Each batch appends one row to the database, and every
// process adds them up in memory. With a row per origin instead, every publication would write to a random page of a
// B-tree.
import type { Transaction } from 'kysely'
import { compiled, compiledInsert } from '../database/compiled.ts'
import type { Schema } from '../database/schema/schema.ts'

/** A window of a limit that counts each origin separately. */
export interface OriginWindow {
  name: string
  /** [ms since 1970] */
  ends_at: number
}

/** The counts of a window up to the last batch that this process has read. */
interface Tally {
  endsAt: number
  /** Number of the last batch that is included. */
  batch: bigint
  /** By origin. */
  counts: Map<string, number>
}

/** The publications of each origin in a batch. */
type BatchCounts = readonly (readonly [origin: string, count: number])[]

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
  /** The current window of each limit, by name. */
  readonly #tallies = new Map<string, Tally>()

  /**
   * Adds the batches that any process has written since the last call, and returns the counts by origin. The
   * transaction holds the write lock, so no batch is missed.
   */
  async read(tx: Transaction<Schema>, window: OriginWindow): Promise<ReadonlyMap<string, number>> {
    const tally = this.#tallyOf(window)
    const { name, ends_at } = window
    const rows = await findBatches(tx, { name, ends_at: BigInt(ends_at), after: tally.batch })
    for (const { batch, counts } of rows) {
      for (const [origin, count] of JSON.parse(counts) as BatchCounts)
        tally.counts.set(origin, (tally.counts.get(origin) ?? 0) + count)
      tally.batch = batch
    }
    return tally.counts
  }

  /**
   * Writes the next batch of a window that this transaction has read. It is added in memory by the next `read`, because
   * this transaction may still be rolled back.
   */
  async write(tx: Transaction<Schema>, window: OriginWindow, added: BatchCounts): Promise<void> {
    const { batch } = this.#tallyOf(window)
    await insertBatch(tx, [{ ...window, batch: batch + 1n, counts: JSON.stringify(added) }])
  }

  #tallyOf({ name, ends_at }: OriginWindow): Tally {
    const current = this.#tallies.get(name)
    if (current?.endsAt === ends_at) return current
    const tally = { endsAt: ends_at, batch: 0n, counts: new Map() }
    this.#tallies.set(name, tally)
    return tally
  }
}
