// Queries for what is around a message: its neighbours in its directory, and the ids nearest to it.
import { type RawBuilder, sql } from 'kysely'
import { compiled } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import { messageUrl } from '../wire/addresses.ts'
import { type Nearby, noRecord } from '../wire/problem.ts'
import { isAnswer, isEndOf, type Listed } from './answers.ts'
import { asMessage, visibleIds, visibleMessages } from './queries.ts'
import { type Excerpt, IS_LINKED } from './references.ts'

/** Messages among which a neighbour is chosen: very many may answer one. */
const CONSIDERED = 5

/**
 * Selects the id of a message near a visible one in its directory, which is visible by its own row. Its page shows what it
 * answers and its answers already.
 */
function nextTo(compared: '<' | '>', host: string): RawBuilder<bigint> {
  const [order, answer, answered] =
    compared === '<' ? ['desc', 'messages', 'near'] : ['asc', 'near', 'messages']
  return sql`(select near.id from (
      select other.id from messages as other
      where other.visible = 1 and other.directory_id = messages.directory_id
        and other.id ${sql.raw(compared)} messages.id
      order by other.id ${sql.raw(order)} limit ${sql.lit(CONSIDERED)}) as near
    where not exists (select 1 from mentions where ${isAnswer(host)}
      and mentions.message_id = ${sql.ref(`${answer}.id`)} and mentions.target_id = ${sql.ref(`${answered}.id`)})
    order by near.id ${sql.raw(order)} limit 1)`
}

/** Enough for the words of a link. */
const WORDS_CHARACTERS = 160

const wordsOf = (table: 'previous' | 'next') =>
  sql<string>`substr(${sql.ref(`${table}.body`)}, 1, ${sql.lit(WORDS_CHARACTERS)})`

const findInContext = compiled((db, { id, host }: Listed) =>
  visibleMessages(db)
    .leftJoin('messages as previous', (join) => join.on('previous.id', '=', nextTo('<', host)))
    .leftJoin('messages as next', (join) => join.on('next.id', '=', nextTo('>', host)))
    .select([
      'messages.investigation_id',
      'previous.id as previous_id',
      'previous.author_label as previous_label',
      wordsOf('previous').as('previous_words'),
      'next.id as next_id',
      'next.author_label as next_label',
      wordsOf('next').as('next_words'),
      IS_LINKED.as('is_linked'),
      isEndOf(0).as('is_mentioned'),
      isEndOf(1).as('is_in_thread'),
    ])
    .where('messages.id', '=', id),
)

/** Returns a visible message with what its page needs to know of others. @throws Problem message_not_found */
export async function requireInContext(db: Queryable, { id, host }: Listed) {
  const [row] = await findInContext(db, { id, host })
  if (!row) throw noRecord('message', id)
  return {
    message: asMessage(row),
    /** The previous and the next visible message in the same directory; undefined where there is none near. */
    neighbours: {
      previous: asNeighbour(row.previous_id, row.previous_label, row.previous_words),
      next: asNeighbour(row.next_id, row.next_label, row.next_words),
    },
    isEntry: row.investigation_id !== null,
    /** Whether it may refer to other messages, or others to it; likewise below. */
    isLinked: Boolean(row.is_linked),
    isMentioned: Boolean(row.is_mentioned),
    isInThread: Boolean(row.is_in_thread),
  }
}

const asNeighbour = (
  id: bigint | null,
  author_label: string | null,
  beginning: string | null,
): Omit<Excerpt, 'publish_at'> | undefined =>
  id === null
    ? undefined
    : { message_id: id, author_label: author_label ?? '', beginning: beginning ?? '' }

/** Returns links to the visible messages just before and after an id, in any directory. The id need not exist. */
export async function nearestMessages(db: Queryable, id: bigint): Promise<Nearby[]> {
  const before = await visibleIds(db).where('id', '<', id).orderBy('id', 'desc').limit(1).execute()
  const after = await visibleIds(db).where('id', '>', id).orderBy('id').limit(1).execute()
  return [...before, ...after].map((row) => ({
    url: messageUrl(row.id),
    name: `Message ${row.id}`,
  }))
}
