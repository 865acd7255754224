// Directories whose messages are hidden or shown in slices, which readers leave out until it is done.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../engine.ts'

export const sweeps: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('sweeps')
      // SQLite's row id takes no other type.
      .addColumn('directory_id', isSqlite(db) ? 'integer' : 'bigint', (c) =>
        c.primaryKey().references('directories.id'),
      )
      .addColumn('visible', 'smallint', (c) => c.notNull().check(sql`"visible" in (0, 1)`))
      .execute()
    // The index has the directory too, so that a message is listed and counted without its row.
    await db.schema.dropIndex('messages_visible').execute()
    await db.schema
      .createIndex('messages_visible')
      .on('messages')
      .columns(['id', 'directory_id'])
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()
    await db.schema.dropIndex('messages_visible_day_entries').execute()
    await db.schema
      .createIndex('messages_visible_day_entries')
      .on('messages')
      .columns(['publish_at', 'id', 'investigation_id', 'directory_id'])
      .where(sql.ref('visible'), '=', sql.lit(1))
      .where(sql.ref('investigation_id'), 'is not', null)
      .execute()
  },
}
