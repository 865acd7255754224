// Prepares batched writes: SQLite's row ids as ids, which saves an index per row, and the latest time of publication.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

/** The tables that publications write to, and their id columns. */
const TABLES = [
  ['directories', 'id'],
  ['messages', 'id'],
  ['investigations', 'id'],
  ['entries', 'message_id'],
] as const

export const batchedWrites: Migration = {
  async up(db: Kysely<unknown>) {
    if (isSqlite(db)) for (const [table, id] of TABLES) await useRowIds(db, table, id)
    await sql`insert into sequences (name, last) select 'publish_at', coalesce(max(at), 0) from (
      select max(publish_at) as at from messages union all
      select max(created_at) from directories union all
      select max(created_at) from reviews) as times`.execute(db)
  },
}

/**
 * Replaces a table with a copy in which the id is the row id; SQLite requires the type `integer` for that. Foreign keys
 * must be off.
 */
async function useRowIds(db: Kysely<unknown>, table: string, id: string): Promise<void> {
  const parts = await sql<{ type: string; sql: string }>`
    select type, sql from sqlite_schema where tbl_name = ${table} and sql is not null`.execute(db)
  const made = parts.rows.find((part) => part.type === 'table')?.sql as string
  const copy = `${table}_copy`
  const remade = made
    .replace(`CREATE TABLE "${table}"`, `CREATE TABLE "${copy}"`)
    .replace(`"${id}" bigint`, `"${id}" integer`)
  await sql.raw(remade).execute(db)
  await sql`insert into ${sql.table(copy)} select * from ${sql.table(table)} order by ${sql.ref(id)}`.execute(
    db,
  )
  await sql`drop table ${sql.table(table)}`.execute(db)
  await sql`alter table ${sql.table(copy)} rename to ${sql.table(table)}`.execute(db)
  for (const { type, sql: text } of parts.rows)
    if (type === 'index') await sql.raw(text).execute(db)
}
