// Adds an index of hidden messages by day, which a day's records include too (FORMAT.md 20).
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const hiddenDay: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createIndex('messages_hidden_day')
      .on('messages')
      .column('publish_at')
      .where(sql.ref('visible'), '=', sql.lit(0))
      .execute()
  },
}
