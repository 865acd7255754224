// The index of words on either engine: FTS5 on SQLite, `tsvector` with GIN on PostgreSQL. Both hold the same words.
import { CompiledQuery, type Kysely, type Transaction } from 'kysely'
import type { Queryable } from '../database.ts'
import type { Schema } from '../schema/schema.ts'
import type { Document } from './documents.ts'

/** Words that a message must have side by side, or one facet. */
export interface Term {
  words: readonly string[]
  /** Whether the last one is only the beginning of a word. */
  isPrefix: boolean
}

export interface Span {
  /** Ids from here, inclusive, */
  from: bigint
  /** to here, exclusive. */
  before: bigint
  limit: number
}

export interface WordIndex {
  add(tx: Transaction<Schema>, documents: readonly Document[]): Promise<void>
  /**
   * @param document as it was added; null if its text is no longer what it was
   * @returns false, and removes everything, if it cannot tell what was added; the index must then be made again
   */
  remove(tx: Transaction<Schema>, id: bigint, document: Document | null): Promise<boolean>
  /** Returns the ids of the newest messages in a span that have all terms, hidden ones too, newest first. */
  find(db: Queryable, terms: readonly Term[], span: Span): Promise<bigint[]>
}

async function run<Row>(db: Queryable, text: string, parameters: unknown[]): Promise<Row[]> {
  return (await db.executeQuery(CompiledQuery.raw(text, parameters) as CompiledQuery<Row>)).rows
}

const runForIds = async (db: Queryable, text: string, parameters: unknown[]): Promise<bigint[]> =>
  (await run<{ id: bigint }>(db, text, parameters)).map(({ id }) => id)

/** Has a place among the words of FTS5, and is none. */
const PLACEHOLDER = '_'

const asFts5 = ({ words, facets }: Document): string =>
  [...words.map((word) => word ?? PLACEHOLDER), ...facets].join(' ')

const asFts5Query = (terms: readonly Term[]): string =>
  terms.map(({ words, isPrefix }) => `"${words.join(' ')}"${isPrefix ? ' *' : ''}`).join(' AND ')

/**
 * In a row before all messages: the version of what cuts texts into words, which may cut otherwise after an update of Node.
 */
const CUT = `:icu${process.versions.icu}`
const CUT_ID = 0n
export const NOTE_CUT = `insert into message_words (rowid, words) values (${CUT_ID}, '${CUT}')`

/** The table has no content of its own, so a removal names the words that were added. */
const SQLITE: WordIndex = {
  async add(tx, documents) {
    // JSON.stringify takes no bigint, and JSON of SQLite takes all of 64 bits.
    const rows = documents.map((one) => `[${one.id},${JSON.stringify(asFts5(one))}]`)
    await run(
      tx,
      `insert into message_words (rowid, words)
        select value ->> 0, value ->> 1 from json_each(?)`,
      [`[${rows.join()}]`],
    )
  },
  async remove(tx, id, document) {
    if (document && (await has(tx, CUT_ID, [CUT])) && (await has(tx, id, document.facets))) {
      const removal = `insert into message_words (message_words, rowid, words) values ('delete', ?, ?)`
      await run(tx, removal, [id, asFts5(document)])
      return true
    }
    await run(tx, `insert into message_words (message_words) values ('delete-all')`, [])
    await run(tx, NOTE_CUT, [])
    return false
  },
  find: (db, terms, { from, before, limit }) =>
    runForIds(
      db,
      // With a limit that is bound as it is, SQLite would prepare the statement each time (sqlite/driver.ts).
      `select rowid as id from message_words
        where message_words match ? and rowid >= ? and rowid < ?
        order by rowid desc limit cast(? as integer)`,
      [asFts5Query(terms), from, before, limit],
    ),
}

async function has(db: Queryable, id: bigint, facets: readonly string[]): Promise<boolean> {
  const terms = facets.map((facet) => ({ words: [facet], isPrefix: false }))
  return (await SQLITE.find(db, terms, { from: id, before: id + 1n, limit: 1 })).length > 0
}

/** `fastupdate = off`: otherwise new words wait in a list, which each search reads, and which one post in thousands has to file. */
export const WORDS_INDEX =
  'create index message_words_words on message_words using gin (words) with (fastupdate = off)'

const lexeme = (word: string): string => `'${word.replaceAll("'", "''")}'`

/** Facets have no places, so they are never side by side with a word. */
function asTsvector({ words, facets }: Document): string {
  const placed = words.flatMap((word, i) => (word === null ? [] : `${lexeme(word)}:${i + 1}`))
  return [...placed, ...facets.map(lexeme)].join(' ')
}

const asTsquery = (terms: readonly Term[]): string =>
  terms
    .map(({ words, isPrefix }) => `(${words.map(lexeme).join(' <-> ')}${isPrefix ? ':*' : ''})`)
    .join(' & ')

const POSTGRES: WordIndex = {
  async add(tx, documents) {
    await run(
      tx,
      `insert into message_words (message_id, words)
        select id, cast(words as tsvector) from unnest($1::bigint[], $2::text[]) as added(id, words)`,
      [documents.map(({ id }) => id), documents.map(asTsvector)],
    )
  },
  async remove(tx, id) {
    await run(tx, 'delete from message_words where message_id = $1', [id])
    return true
  },
  async find(db, terms, { from, before, limit }) {
    const query = asTsquery(terms)
    const newest = before - from > NEWEST ? before - NEWEST : from
    // What is common is found by reading the newest messages, and what is not has few messages to sort.
    const found = await runForIds(db, NEWEST_PAGE, [query, newest, before, limit])
    if (found.length === limit || newest === from) return found
    const older = await onlyByIndex(db, (tx) =>
      runForIds(tx, PAGE, [query, from, newest, limit - found.length]),
    )
    return [...found, ...older]
  },
}

/** `+ 0` leaves PostgreSQL no other index than that of the words. */
const PAGE = `select message_id as id from message_words
  where words @@ cast($1 as tsquery) and message_id + 0 >= $2 and message_id + 0 < $3
  order by message_id + 0 desc limit $4`

/** As PAGE, but without the index: `offset 0` keeps the condition outside. */
const NEWEST_PAGE = `select id from (
    select message_id as id, words from message_words
    where message_id >= $2 and message_id < $3 order by message_id desc offset 0) as newest
  where words @@ cast($1 as tsquery) order by id desc limit $4`

/** Ids that are looked at one by one before the index is asked: 51 messages with a word of which every 80th has it. */
const NEWEST = 4_096n

const ONLY_BY_INDEX = `set local enable_seqscan = off; set local max_parallel_workers_per_gather = 0;
  set local jit = off`

/**
 * Keeps PostgreSQL from reading all messages for words that it believes to be common, or to occur together: its estimates
 * are wrong by orders of magnitude, while reading the index costs about the same whatever is in it.
 */
async function onlyByIndex<T>(db: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
  const inTransaction = async (tx: Queryable) => {
    await run(tx, ONLY_BY_INDEX, [])
    return work(tx)
  }
  if (db.isTransaction) return inTransaction(db)
  return (db as Kysely<Schema>).transaction().setAccessMode('read only').execute(inTransaction)
}

export const ENGINES = { sqlite: SQLITE, postgres: POSTGRES }
