// Stores links as rows, so that the entries that link to a message can be looked up by its id.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

export const links: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('links')
      .addColumn('message_id', 'bigint', (c) => c.notNull().references('messages.id'))
      .addColumn('target_id', 'bigint', (c) => c.notNull().references('messages.id'))
      .addColumn('relation', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('links_key', ['message_id', 'target_id', 'relation'])
      .execute()
    await db.schema
      .createIndex('links_target')
      .on('links')
      .columns(['target_id', 'message_id'])
      .execute()
    const each = isSqlite(db)
      ? sql`json_each(entries.links)`
      : sql`json_array_elements(cast(entries.links as json))`
    await sql`insert into links (message_id, target_id, relation)
      select entries.message_id, cast(link.value ->> 'message_id' as bigint), link.value ->> 'relation'
      from entries, ${each} as link`.execute(db)
  },
}
