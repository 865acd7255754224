// Caches compiled queries and runs them with new values each time: building a query costs more than running it.
import {
  type Compilable,
  type CompiledQuery,
  type InsertObject,
  type InsertQueryBuilder,
  type InsertResult,
  sql,
} from 'kysely'
import type { Queryable } from './database.ts'
import { columnsOf, type Schema, TABLES, type TableName } from './schema/schema.ts'

/** Stands for a value while a query is built. */
class Placeholder {
  /** The item's index in a query over a list. */
  readonly index: number
  readonly name: PropertyKey

  constructor(name: PropertyKey, index = 0) {
    this.index = index
    this.name = name
  }
}

const placeholders = <Values extends object>(index = 0): Values =>
  new Proxy({} as Values, { get: (_, name) => new Placeholder(name, index) })

type RowOf<Query> = Query extends { execute(): Promise<(infer Row)[]> } ? Row : never

/** Compiles at the first use on each connection; a transaction shares the adapter of its connection. */
function onFirstUse(build: (db: Queryable) => Compilable): (db: Queryable) => CompiledQuery {
  const cache = new WeakMap<object, CompiledQuery>()
  return (db) => {
    const { adapter } = db.getExecutor()
    const known = cache.get(adapter)
    if (known) return known
    const query = build(db).compile()
    cache.set(adapter, query)
    return query
  }
}

async function run<Row>(db: Queryable, query: CompiledQuery, values: readonly object[]) {
  const parameters = query.parameters.map((parameter) =>
    parameter instanceof Placeholder
      ? (values[Math.min(parameter.index, values.length - 1)] as Record<PropertyKey, unknown>)[
          parameter.name
        ]
      : parameter,
  )
  return (await db.executeQuery<Row>({ ...query, parameters } as CompiledQuery<Row>)).rows
}

/**
 * Returns a query with named values.
 * @param build builds the query once, with a placeholder for each value. It must name the values that it uses: a rest
 *   pattern is empty.
 */
export function compiled<Values extends object, Query extends Compilable>(
  build: (db: Queryable, values: Values) => Query,
): (db: Queryable, values: Values) => Promise<RowOf<Query>[]> {
  const queryFor = onFirstUse((db) => build(db, placeholders()))
  return (db, values) => run(db, queryFor(db), [values])
}

/** The list lengths that a query is compiled for. Other lists are padded, longer ones split. */
const LIST_LENGTHS = [1, 4, 16, 64, 256]
const MAX_LIST_LENGTH = LIST_LENGTHS.at(-1) as number
/** The row counts that an insert is compiled for. Other counts are split, and each part is a round trip. */
const INSERT_COUNTS = [1, 2, 3, 4, 8, 16, 32, 64, 128, 256]

/**
 * Returns a query over a list of any length. It may return a row more than once.
 * @param build builds the query once for each of LIST_LENGTHS
 */
export function compiledForEach<Item extends object, Query extends Compilable>(
  build: (db: Queryable, items: readonly Item[]) => Query,
): (db: Queryable, items: readonly Item[]) => Promise<RowOf<Query>[]> {
  const byLength = queriesByLength((db, length) => build(db, listOf<Item>(length)))
  return async (db, items) => {
    const rows: RowOf<Query>[] = []
    for (let from = 0; from < items.length; from += MAX_LIST_LENGTH) {
      const part = items.slice(from, from + MAX_LIST_LENGTH)
      const length = LIST_LENGTHS.find((length) => length >= part.length) as number
      rows.push(...(await run<RowOf<Query>>(db, byLength(db, length), part)))
    }
    return rows
  }
}

/** As `compiledForEach`, over single values such as ids. */
export function compiledForValues<Value extends bigint | string, Query extends Compilable>(
  build: (db: Queryable, values: readonly Value[]) => Query,
): (db: Queryable, values: readonly Value[]) => Promise<RowOf<Query>[]> {
  const query = compiledForEach((db, items: readonly { value: Value }[]) => {
    const values = items.map(({ value }) => value)
    return build(db, values)
  })
  return (db, values) => {
    const items = values.map((value) => ({ value }))
    return query(db, items)
  }
}

const listOf = <Item extends object>(length: number): Item[] =>
  Array.from({ length }, (_, index) => placeholders<Item>(index))

function queriesByLength(build: (db: Queryable, length: number) => Compilable) {
  const cache = new Map<number, (db: Queryable) => CompiledQuery>()
  return (db: Queryable, length: number): CompiledQuery => {
    const known = cache.get(length)
    if (known) return known(db)
    const query = onFirstUse((at) => build(at, length))
    cache.set(length, query)
    return query(db)
  }
}

type InsertRows<Table extends TableName> = (
  db: Queryable,
  rows: readonly InsertObject<Schema, Table>[],
) => Promise<void>

/** Returns an insert of any number of rows in few statements. It fails if a row's key exists. */
export const compiledInsert = <Table extends TableName>(table: Table): InsertRows<Table> =>
  insertInParts(table, (insert) => insert)

/** Returns an insert of any number of rows in few statements. It replaces a row whose key exists. */
export function compiledUpsert<Table extends TableName>(table: Table): InsertRows<Table> {
  const { key } = TABLES[table]
  const others = columnsOf(table).filter((column) => !key.includes(column))
  const values = Object.fromEntries(others.map((name) => [name, sql.ref(`excluded.${name}`)]))
  return insertInParts(table, (insert) =>
    insert.onConflict((conflict) => conflict.columns(key as never).doUpdateSet(values as never)),
  )
}

type Insert<Table extends TableName> = InsertQueryBuilder<Schema, Table, InsertResult>

function insertInParts<Table extends TableName>(
  table: Table,
  onConflict: (insert: Insert<Table>) => Insert<Table>,
): InsertRows<Table> {
  const columns = columnsOf(table)
  const byLength = queriesByLength((db, length) => {
    const rows = Array.from({ length }, (_, index) =>
      Object.fromEntries(columns.map((column) => [column, new Placeholder(column, index)])),
    )
    return onConflict(db.insertInto(table).values(rows as never) as Insert<Table>)
  })
  return async (db, rows) => {
    let from = 0
    while (from < rows.length) {
      const length = INSERT_COUNTS.findLast((length) => length <= rows.length - from) as number
      await run(db, byLength(db, length), rows.slice(from, from + length))
      from += length
    }
  }
}
