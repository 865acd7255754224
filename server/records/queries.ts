// Reads what the file of the records of a day consists of, in pages of bounded size.
import { sql } from 'kysely'
import { recordedIn } from '../data/recorded.ts'
import { compiled } from '../database/compiled.ts'
import { NOT_VISIBLE, type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import { allOf, type ReviewRow } from '../database/schema/schema.ts'

/** Times [ms since 1970]; `to` is exclusive. */
export interface DaySpan {
  from: bigint
  to: bigint
  /** The end of the previous archived day. */
  since: bigint
}

/** The first and the last id, inclusive. */
export interface MessageRange {
  first: bigint
  last: bigint
}

/** Visible directories that the file of this day lists, in the order of their creation. */
export const directoriesOf = (db: Queryable, { since, to }: DaySpan) =>
  db
    .selectFrom('directories')
    .select(['id', 'path', 'author_label', 'created_at'])
    .where('created_at', '>=', since)
    .where('created_at', '<', to)
    .where('visible', '=', VISIBLE)
    .orderBy('id')
    .execute()

/** The ids of the messages of the day that readers cannot see, ascending. */
export async function hiddenOf(db: Queryable, { from, to }: DaySpan): Promise<bigint[]> {
  const hidden = await db
    .selectFrom('messages')
    .select('id')
    .where('publish_at', '>=', from)
    .where('publish_at', '<', to)
    .where('visible', '=', NOT_VISIBLE)
    .execute()
  // Rows of a directory that is being hidden or shown may still be visible by themselves.
  const swept = await db
    .selectFrom('sweeps')
    // SQLite never reorders a cross join, so that it reads no message while nothing is swept.
    .crossJoin('messages')
    .select('messages.id')
    .whereRef('messages.directory_id', '=', 'sweeps.directory_id')
    .where('messages.visible', '=', VISIBLE)
    .where('messages.publish_at', '>=', from)
    .where('messages.publish_at', '<', to)
    .execute()
  return [...hidden, ...swept].map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1))
}

/** The reviews of the day whose messages are visible, ascending. */
export const reviewsOf = (db: Queryable, { from, to }: DaySpan): Promise<ReviewRow[]> =>
  db
    .selectFrom('reviews')
    // SQLite never reorders a cross join, so that it starts with the few reviews of the day.
    .crossJoin('messages')
    .select(allOf('reviews'))
    .whereRef('messages.id', '=', 'reviews.message_id')
    .where(VISIBLE_MESSAGE)
    .where('reviews.created_at', '>=', from)
    .where('reviews.created_at', '<', to)
    .orderBy('reviews.id')
    .execute()

/** The last id of each sequence before a time, hidden records included; 0 if there is none. */
export async function lastIds(db: Queryable, to: bigint) {
  const { rows } = await sql<Record<'message' | 'investigation' | 'review' | 'action', bigint>>`
    select
      coalesce((select max(id) from (
        ${newestMessage(VISIBLE, to)} union all ${newestMessage(NOT_VISIBLE, to)}
      ) as newest), 0) as message,
      coalesce((select max(id) from investigations where created_at < ${to}), 0) as investigation,
      coalesce((select max(id) from reviews where created_at < ${to}), 0) as review,
      coalesce((select max(id) from moderation_log where at < ${to}), 0) as action`.execute(db)
  return rows[0]
}

/** The last message before a time, found through a partial index. */
const newestMessage = (visible: typeof VISIBLE, to: bigint) => sql`
  select max(id) as id from messages where visible = ${visible} and publish_at = (
    select max(publish_at) from messages where visible = ${visible} and publish_at < ${to})`

export type MessageSize = Awaited<ReturnType<typeof messageSizes>>[number]

/** Messages whose sizes one query reads. */
const SIZES = 1_000

/** The sizes of the next messages, ascending, so that their texts can be read in groups. */
export const messageSizes = compiled((db, { after, last }: { after: bigint; last: bigint }) =>
  db
    .selectFrom('messages')
    .select(['id', 'publish_at', 'body_bytes'])
    .where('id', '>', after)
    .where('id', '<=', last)
    .orderBy('id')
    .limit(SIZES),
)

export const messagesIn = compiled((db, { first, last }: MessageRange) =>
  recordedIn(db, { first, last }).select('messages.body').where(VISIBLE_MESSAGE),
)
