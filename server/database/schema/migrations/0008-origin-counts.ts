// Stores the per-origin counts with one row per batch: rows per origin were at random positions in their tree.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

interface Window {
  ends_at: bigint
  name: string
  origin: string
  count: bigint
}

export const originCounts: Migration = {
  async up(db: Kysely<unknown>) {
    const table = db.schema
      .createTable('origin_counts')
      .addColumn('ends_at', 'bigint', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('batch', 'bigint', (c) => c.notNull())
      .addColumn('counts', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('origin_counts_key', ['ends_at', 'name', 'batch'])
    await (isSqlite(db) ? table.modifyEnd(sql`without rowid`) : table).execute()
    // Keeps the counts of current windows: each row becomes a batch.
    const { rows } = await sql<Window>`delete from rate_windows where origin <> ''
      returning ends_at, name, origin, count`.execute(db)
    for (const [i, { ends_at, name, origin, count }] of rows.entries()) {
      const counts = JSON.stringify([[origin, Number(count)]])
      await sql`insert into origin_counts (ends_at, name, batch, counts)
        values (${ends_at}, ${name}, ${i + 1}, ${counts})`.execute(db)
    }
  },
}
