// Finds the messages that a message refers to and those that refer to it, with enough of each to show as a link.
import { sql } from 'kysely'
import { compiledForValues } from '../database/compiled.ts'
import { type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import type { MessageRow, Relation } from '../database/schema/schema.ts'
import { instant } from '../wire/instant.ts'

/** A message as shown on the page of another one. */
export interface Excerpt {
  message_id: bigint
  author_label: string
  publish_at: string
  /** The first characters of the body. */
  beginning: string
}

/** The message at one end of a link, as shown on the page of the other. */
export interface Reference extends Excerpt {
  relation: Relation
}

/** The visible messages that one message refers to, and those that refer to it. */
export interface References {
  to: Reference[]
  /** Corrections first, then newest first; at most MAX_FROM of them. */
  from: Reference[]
  /** The total number of messages that refer to it. */
  from_count: number
}

/** Incoming references shown, so that a popular message does not fill its page. */
const MAX_FROM = 20
/** Enough to contain a first line. */
const BEGINNING_CHARACTERS = 400

/** Whether a message of a query refers to messages, visible or not, or they to it. */
export const IS_LINKED = sql<unknown>`(exists (select 1 from links where links.message_id = messages.id)
  or exists (select 1 from links where links.target_id = messages.id))`

/** Returns the references of each message that has any, by message id. */
export async function referencesOf(
  db: Queryable,
  ids: readonly bigint[],
): Promise<Map<bigint, References>> {
  const found = new Map<bigint, References>()
  const entryOf = (id: bigint): References => {
    const references = found.get(id) ?? { to: [], from: [], from_count: 0 }
    found.set(id, references)
    return references
  }
  for (const row of await linksFrom(db, ids)) entryOf(row.of).to.push(asReference(row))
  for (const row of await linksTo(db, ids)) {
    const references = entryOf(row.of)
    references.from.push(asReference(row))
    references.from_count = Number(row.total)
  }
  return found
}

/** Returns the visible ones of these messages, by id. */
export async function excerptsOf(
  db: Queryable,
  ids: readonly bigint[],
): Promise<Map<bigint, Excerpt>> {
  const rows = await findExcerpts(db, ids)
  return new Map(rows.map((row) => [row.id, asExcerpt(row)]))
}

export const beginningOf = (table: string) =>
  sql<string>`substr(${sql.ref(`${table}.body`)}, 1, ${sql.lit(BEGINNING_CHARACTERS)})`
export const BEGINNING = beginningOf('messages')

export const EXCERPT_COLUMNS = [
  'messages.id',
  'messages.author_label',
  'messages.publish_at',
  BEGINNING.as('beginning'),
] as const

const findExcerpts = compiledForValues((db, ids: readonly bigint[]) =>
  db
    .selectFrom('messages')
    .select(EXCERPT_COLUMNS)
    .where('messages.id', 'in', ids)
    .where(VISIBLE_MESSAGE),
)

const linksFrom = compiledForValues((db, ids: readonly bigint[]) =>
  db
    .selectFrom('links')
    .innerJoin('messages', 'messages.id', 'links.target_id')
    .select(['links.message_id as of', 'links.relation', ...EXCERPT_COLUMNS])
    .where('links.message_id', 'in', ids)
    .where(VISIBLE_MESSAGE)
    .orderBy('links.message_id')
    .orderBy('messages.id'),
)

const linksTo = compiledForValues((db, ids: readonly bigint[]) =>
  db
    .selectFrom((eb) =>
      eb
        .selectFrom('links')
        .innerJoin('messages', 'messages.id', 'links.message_id')
        .select(['links.target_id as of', 'links.relation', ...EXCERPT_COLUMNS])
        .select([
          sql<bigint>`count(*) over (partition by links.target_id)`.as('total'),
          sql<bigint>`row_number() over (
            partition by links.target_id
            order by case links.relation when 'corrects' then 0 else 1 end, messages.id desc
          )`.as('rank'),
        ])
        .where('links.target_id', 'in', ids)
        .where(VISIBLE_MESSAGE)
        .as('found'),
    )
    .selectAll()
    .where('rank', '<=', BigInt(MAX_FROM))
    .orderBy('of')
    .orderBy('rank'),
)

export type ExcerptRow = Pick<MessageRow, 'id' | 'author_label' | 'publish_at'> & {
  beginning: string
}

export const asExcerpt = (row: ExcerptRow): Excerpt => ({
  message_id: row.id,
  author_label: row.author_label,
  publish_at: instant(row.publish_at),
  beginning: row.beginning,
})

const asReference = (row: ExcerptRow & { relation: Relation }): Reference => ({
  relation: row.relation,
  ...asExcerpt(row),
})
