// Creates the tables and indexes of the first release.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

/** Compares bytewise instead of by the database's locale. SQLite always does. */
const BY_BYTES = sql`text collate "C"`

export const initial: Migration = {
  async up(db: Kysely<unknown>) {
    const flag = (name: string) => sql`${sql.ref(name)} in (0, 1)`

    await db.schema
      .createTable('directories')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('path', isSqlite(db) ? 'text' : BY_BYTES, (c) => c.notNull().unique())
      .addColumn('parent_id', 'bigint', (c) => c.references('directories.id'))
      .addColumn('author_label', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('hidden', 'smallint', (c) => c.notNull().check(flag('hidden')))
      .addColumn('visible', 'smallint', (c) => c.notNull().check(flag('visible')))
      .execute()
    await db.schema
      .createIndex('directories_visible_path')
      .on('directories')
      .column('path')
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()
    await db.schema
      .createIndex('directories_visible_children')
      .on('directories')
      .columns(['parent_id', 'path'])
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()
    await db.schema
      .createIndex('directories_created')
      .on('directories')
      .column('created_at')
      .execute()

    await db.schema
      .createTable('messages')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('directory_id', 'bigint', (c) => c.notNull().references('directories.id'))
      .addColumn('investigation_id', 'bigint')
      .addColumn('body_hash', 'text', (c) => c.notNull())
      .addColumn('body_bytes', 'bigint', (c) => c.notNull())
      .addColumn('author_label', 'text', (c) => c.notNull())
      .addColumn('received_at', 'bigint', (c) => c.notNull())
      .addColumn('publish_at', 'bigint', (c) => c.notNull())
      .addColumn('hidden', 'smallint', (c) => c.notNull().check(flag('hidden')))
      .addColumn('visible', 'smallint', (c) => c.notNull().check(flag('visible')))
      // The long text is the last column, so that reading the others does not have to skip it.
      .addColumn('body', 'text', (c) => c.notNull())
      .execute()
    await db.schema
      .createIndex('messages_visible')
      .on('messages')
      .column('id')
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()
    await db.schema
      .createIndex('messages_visible_directory')
      .on('messages')
      .columns(['directory_id', 'id'])
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()
    await db.schema
      .createIndex('messages_visible_investigation')
      .on('messages')
      .columns(['investigation_id', 'id'])
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()
    // Moderation looks up invisible messages to show them again.
    await db.schema
      .createIndex('messages_hidden_directory')
      .on('messages')
      .column('directory_id')
      .where(sql.ref('visible'), '=', sql.lit(0))
      .execute()
    await db.schema
      .createIndex('messages_hidden_investigation')
      .on('messages')
      .column('investigation_id')
      .where(sql.ref('visible'), '=', sql.lit(0))
      .execute()
    // Covers the day's counters, so that a count reads no bodies.
    await db.schema
      .createIndex('messages_visible_day')
      .on('messages')
      .columns(['publish_at', 'directory_id', 'body_bytes'])
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()

    // Likewise for the day's questions and contributions, which are joined with their entries.
    await db.schema
      .createIndex('messages_visible_day_entries')
      .on('messages')
      .columns(['publish_at', 'id', 'investigation_id'])
      .where(sql.ref('visible'), '=', sql.lit(1))
      .where(sql.ref('investigation_id'), 'is not', null)
      .execute()

    await db.schema
      .createTable('investigations')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('root_message_id', 'bigint', (c) => c.notNull().unique().references('messages.id'))
      .addColumn('directory_id', 'bigint', (c) => c.notNull().references('directories.id'))
      .addColumn('title', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('hidden', 'smallint', (c) => c.notNull().check(flag('hidden')))
      .addColumn('visible', 'smallint', (c) => c.notNull().check(flag('visible')))
      .execute()
    await db.schema
      .createIndex('investigations_visible')
      .on('investigations')
      .column('id')
      .where(sql.ref('visible'), '=', sql.lit(1))
      .execute()
    await db.schema
      .createIndex('investigations_directory')
      .on('investigations')
      .column('directory_id')
      .execute()
    await db.schema
      .createIndex('investigations_created')
      .on('investigations')
      .column('created_at')
      .execute()

    await db.schema
      .createTable('entries')
      .addColumn('message_id', 'bigint', (c) => c.primaryKey().references('messages.id'))
      .addColumn('investigation_id', 'bigint', (c) => c.notNull().references('investigations.id'))
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('source_count', 'bigint', (c) => c.notNull())
      .addColumn('sources', 'text', (c) => c.notNull())
      .addColumn('links', 'text', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('reviews')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('message_id', 'bigint', (c) => c.notNull().references('messages.id'))
      .addColumn('outcome', 'text', (c) => c.notNull())
      .addColumn('reason', 'text', (c) => c.notNull())
      .addColumn('evidence_note', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('supersedes_id', 'bigint', (c) => c.unique().references('reviews.id'))
      .execute()
    await db.schema
      .createIndex('reviews_message')
      .on('reviews')
      .columns(['message_id', 'id'])
      .execute()
    await db.schema.createIndex('reviews_created').on('reviews').column('created_at').execute()

    await db.schema
      .createTable('idempotency_keys')
      .addColumn('operation', 'text', (c) => c.notNull())
      .addColumn('origin', 'text', (c) => c.notNull())
      .addColumn('key', 'text', (c) => c.notNull())
      .addColumn('request_hash', 'text', (c) => c.notNull())
      .addColumn('answer', 'text', (c) => c.notNull())
      .addColumn('location', 'text', (c) => c.notNull())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('idempotency_keys_pk', ['operation', 'origin', 'key'])
      .execute()
    await db.schema
      .createIndex('idempotency_keys_created')
      .on('idempotency_keys')
      .column('created_at')
      .execute()

    await db.schema
      .createTable('rate_windows')
      .addColumn('name', 'text', (c) => c.notNull())
      .addColumn('origin', 'text', (c) => c.notNull())
      .addColumn('starts_at', 'bigint', (c) => c.notNull())
      .addColumn('ends_at', 'bigint', (c) => c.notNull())
      .addColumn('count', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('rate_windows_pk', ['name', 'origin', 'starts_at'])
      .execute()
    await db.schema.createIndex('rate_windows_ends').on('rate_windows').column('ends_at').execute()

    await db.schema
      .createTable('moderation_log')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('act', 'text', (c) => c.notNull())
      .addColumn('target_kind', 'text', (c) => c.notNull())
      .addColumn('target', 'text', (c) => c.notNull())
      .addColumn('reason', 'text', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('liveness')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('server', 'text', (c) => c.notNull())
      .addColumn('from_at', 'bigint', (c) => c.notNull())
      .addColumn('to_at', 'bigint', (c) => c.notNull())
      .addColumn('read_only', 'smallint', (c) => c.notNull().check(flag('read_only')))
      .addColumn('disabled_features', 'text', (c) => c.notNull())
      .execute()
    await db.schema.createIndex('liveness_to').on('liveness').column('to_at').execute()

    await db.schema
      .createTable('clock_steps')
      .addColumn('id', 'bigint', (c) => c.primaryKey())
      .addColumn('server', 'text', (c) => c.notNull())
      .addColumn('expected_at', 'bigint', (c) => c.notNull())
      .addColumn('actual_at', 'bigint', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('settings')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('value', 'text', (c) => c.notNull())
      .execute()

    await db.schema
      .createTable('sequences')
      .addColumn('name', 'text', (c) => c.primaryKey())
      .addColumn('last', 'bigint', (c) => c.notNull())
      .execute()
    await sql`insert into sequences (name, last) values
      ('directory', 0), ('message', 0), ('investigation', 0), ('review', 0),
      ('moderation', 0), ('liveness', 0), ('clock_step', 0)`.execute(db)
  },
}
