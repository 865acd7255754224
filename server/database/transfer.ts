// Reads all rows of a database in pages and writes them in batches, to move a service from one engine to another.
import { sql } from 'kysely'
import { compiledInsert, compiledUpsert } from './compiled.ts'
import { isSqlite, type Queryable, type Transaction } from './database.ts'
import { columnsOf, TABLE_NAMES, TABLES, type TableName } from './schema/schema.ts'
import { MIGRATIONS } from './schema/version.ts'

/** A row's values by column; integers are bigint. */
export type Row = Readonly<Record<string, bigint | number | string | null>>

/** The newest migration. An export can be imported only into a database with the same one. */
export const SCHEMA_NAME = Object.keys(MIGRATIONS).at(-1) as string

/** Rows of one page: messages of 16 KiB make 8 MiB. */
const PAGE_ROWS = 500

/**
 * Reads a table's rows in the order of its key, with texts compared bytewise: the same order on every engine.
 * @param tx a transaction, so that all pages are consistent
 */
export async function* readRows(tx: Transaction, table: TableName): AsyncGenerator<Row[]> {
  const pages = isSqlite(tx) ? readAfterKey(tx, table) : readByCursor(tx, table)
  for await (const rows of pages) if (rows.length > 0) yield rows
}

const listed = (names: readonly string[]) => sql.join(names.map((name) => sql.ref(name)))

/** SQLite's keys have this order, so each page continues after the last key of the one before. */
async function* readAfterKey(tx: Transaction, table: TableName): AsyncGenerator<Row[]> {
  const { key } = TABLES[table]
  let rows: Row[] = []
  do {
    const last = rows.at(-1)
    const following = last
      ? sql`where (${listed(key)}) > (${sql.join(key.map((name) => last[name]))})`
      : sql``
    const page = sql<Row>`
      select ${listed(columnsOf(table))} from ${sql.table(table)} ${following}
      order by ${listed(key)} limit ${sql.lit(PAGE_ROWS)}`
    rows = (await page.execute(tx)).rows
    yield rows
  } while (rows.length === PAGE_ROWS)
}

/** PostgreSQL orders texts by the database's locale, so the query sorts once and is read through a cursor. */
async function* readByCursor(tx: Transaction, table: TableName): AsyncGenerator<Row[]> {
  const { key, columns } = TABLES[table]
  const order = key.map((name) =>
    columns[name]?.form === 'text' ? sql`${sql.ref(name)} collate "C"` : sql.ref(name),
  )
  await sql`declare exported no scroll cursor for
    select ${listed(columnsOf(table))} from ${sql.table(table)} order by ${sql.join(order)}`.execute(
    tx,
  )
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.lit(PAGE_ROWS)} from exported`.execute(tx)
    if (rows.length === 0) break
    yield rows
  }
  await sql`close exported`.execute(tx)
}

export async function countRows(db: Queryable, table: TableName): Promise<number> {
  const { rows } = await sql<{ count: bigint }>`
    select count(*) as count from ${sql.table(table)}`.execute(db)
  return Number(rows[0]?.count)
}

/** Whether neither a service nor an import has ever written to the database. */
export async function isUntouched(db: Queryable): Promise<boolean> {
  for (const table of TABLE_NAMES)
    if (table !== 'sequences' && (await countRows(db, table)) > 0) return false
  const used = await db.selectFrom('sequences').select('name').where('last', '>', 0n).execute()
  return used.length === 0
}

/** The rows of sequences exist from the start, so they are replaced; all other rows are new. */
const INSERTS = Object.fromEntries(
  TABLE_NAMES.map((table) => [
    table,
    table === 'sequences' ? compiledUpsert(table) : compiledInsert(table),
  ]),
) as unknown as Record<TableName, (db: Queryable, rows: readonly Row[]) => Promise<void>>

export const insertRows = (db: Queryable, table: TableName, rows: readonly Row[]): Promise<void> =>
  INSERTS[table](db, rows)
