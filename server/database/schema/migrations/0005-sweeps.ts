// Adds the table of directories whose messages are being hidden or shown in slices; readers omit them until then.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

export const sweeps: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('sweeps')
      // SQLite's row id requires this type.
      .addColumn('directory_id', isSqlite(db) ? 'integer' : 'bigint', (c) =>
        c.primaryKey().references('directories.id'),
      )
      .addColumn('visible', 'smallint', (c) => c.notNull().check(sql`"visible" in (0, 1)`))
      .execute()
    // The index also covers the directory, so that listing and counting do not read the row.
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
