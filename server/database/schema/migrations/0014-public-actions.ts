// Marks the actions whose reasons were recorded before the record of moderation became public, and gives an action that
// concerns many messages a place for their ids (API.md 8.4).
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const publicActions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('moderation_log')
      .addColumn('is_public', 'smallint', (c) =>
        c.notNull().defaultTo(0).check(sql`is_public in (0, 1)`),
      )
      .execute()
    await db.schema
      .alterTable('moderation_log')
      .addColumn('ranges', 'text', (c) => c.notNull().defaultTo('[]'))
      .execute()
    await db.schema
      .createIndex('moderation_target')
      .on('moderation_log')
      .columns(['target_kind', 'target', 'id'])
      .execute()
    await sql`create index moderation_bulk on moderation_log (id) where ranges <> '[]'`.execute(db)
  },
}
