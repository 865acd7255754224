// Orders rate windows by time in a single tree, so that the rows of a minute are adjacent and expire together.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

export const rateWindows: Migration = {
  async up(db: Kysely<unknown>) {
    const table = db.schema
      .createTable('rate_windows_by_time')
      .addColumn('ends_at', 'bigint', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('origin', 'text', (c) => c.notNull())
      .addColumn('count', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('rate_windows_by_time_pk', ['ends_at', 'name', 'origin'])
    await (isSqlite(db) ? table.modifyEnd(sql`without rowid`) : table).execute()
    await sql`insert into rate_windows_by_time (ends_at, name, origin, count)
      select ends_at, name, origin, count from rate_windows`.execute(db)
    await db.schema.dropTable('rate_windows').execute()
    await db.schema.alterTable('rate_windows_by_time').renameTo('rate_windows').execute()
  },
}
