// Keeps the index of words in step with the messages: in the transaction that writes or erases them.
import { hash } from 'node:crypto'
import { sql, type Transaction } from 'kysely'
import { MAX_ID } from '../../../archive/format/scalars.ts'
import { compiled } from '../compiled.ts'
import { isSqlite, type Queryable } from '../database.ts'
import type { Schema } from '../schema/schema.ts'
import { documentOf } from './documents.ts'
import { ENGINES, type Span, type Term, WORDS_INDEX, type WordIndex } from './engines.ts'

/** Messages of 16 KiB make 4 MiB. */
const PAGE = 256

const indexFor = (db: Queryable): WordIndex => (isSqlite(db) ? ENGINES.sqlite : ENGINES.postgres)

/** Reads what is indexed of the messages from one id to another, both inclusive. An erased one has no text. */
const indexedBetween = compiled(
  (db, { first, last, limit }: { first: bigint; last: bigint; limit: number }) =>
    db
      .selectFrom('messages')
      .innerJoin('directories', 'directories.id', 'messages.directory_id')
      .leftJoin('entries', 'entries.message_id', 'messages.id')
      .leftJoin('investigations', 'investigations.root_message_id', 'messages.id')
      .select([
        'messages.id',
        'messages.body',
        'messages.body_hash',
        'messages.author_label',
        'directories.path',
        'entries.kind',
        'investigations.title',
      ])
      .where('messages.id', '>=', first)
      .where('messages.id', '<=', last)
      .where('messages.body', '<>', '')
      .orderBy('messages.id')
      .limit(limit),
)

/** Indexes new messages with ids from `first` to `last`, which this transaction has written. */
export async function indexMessages(
  tx: Transaction<Schema>,
  { first, last }: { first: bigint; last: bigint },
): Promise<void> {
  const index = indexFor(tx)
  for (let next = first; ; ) {
    const rows = await indexedBetween(tx, { first: next, last, limit: PAGE })
    if (rows.length > 0) await index.add(tx, rows.map(documentOf))
    const end = rows.at(-1)
    if (end === undefined || rows.length < PAGE) return
    next = end.id + 1n
  }
}

/** Indexes the messages of a whole board. PostgreSQL makes its index last, with a third of the log. */
export async function indexBoard(tx: Transaction<Schema>): Promise<void> {
  if (!isSqlite(tx)) await sql`drop index message_words_words`.execute(tx)
  await indexMessages(tx, { first: 1n, last: MAX_ID })
  if (!isSqlite(tx)) await sql.raw(WORDS_INDEX).execute(tx)
}

/** Removes a message from the index, before its text is erased. */
export async function forgetMessage(tx: Transaction<Schema>, id: bigint): Promise<void> {
  const [row] = await indexedBetween(tx, { first: id, last: id, limit: 1 })
  if (!row) return
  const isAltered = hash('sha256', row.body) !== row.body_hash
  if (await indexFor(tx).remove(tx, id, isAltered ? null : documentOf(row))) return
  await indexMessages(tx, { first: 1n, last: id - 1n })
  await indexMessages(tx, { first: id + 1n, last: MAX_ID })
}

const idsBetween = compiled((db, { from, before, limit }: Span) =>
  db
    .selectFrom('messages')
    .select('id')
    .where('id', '>=', from)
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .limit(limit),
)

/** As WordIndex; without terms, all messages of the span. */
export async function findMessages(
  db: Queryable,
  terms: readonly Term[],
  span: Span,
): Promise<bigint[]> {
  if (terms.length > 0) return indexFor(db).find(db, terms, span)
  return (await idsBetween(db, span)).map(({ id }) => id)
}
