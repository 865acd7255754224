// Removes the origin from the key of rate_windows: since 0008, its rows count all origins together.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

export const sharedWindows: Migration = {
  async up(db: Kysely<unknown>) {
    const table = db.schema
      .createTable('shared_windows')
      .addColumn('ends_at', 'bigint', (c) => c.notNull())
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('count', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('rate_windows_key', ['ends_at', 'name'])
    // Half of each page is left free, for the reason given in 0007.
    const ending = isSqlite(db) ? sql`without rowid` : sql`with (fillfactor = 50)`
    await table.modifyEnd(ending).execute()
    await sql`insert into shared_windows (ends_at, name, count)
      select ends_at, name, count from rate_windows where origin = ''`.execute(db)
    await db.schema.dropTable('rate_windows').execute()
    await db.schema.alterTable('shared_windows').renameTo('rate_windows').execute()
  },
}
