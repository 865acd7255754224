// Reads which messages mention a message by its address, and which ones it mentions (API.md 4.7).
import { sql } from 'kysely'
import { compiled } from '../database/compiled.ts'
import { type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import { asExcerpt, EXCERPT_COLUMNS, type Excerpt } from './references.ts'

/** The visible messages that mention one message, and those that it mentions. */
export interface Mentions {
  /** Oldest first, at most MAX_BY of them. */
  by: Excerpt[]
  /** The total number of messages that mention it. */
  by_count: number
  of: Excerpt[]
}

export const NO_MENTIONS: Mentions = { by: [], by_count: 0, of: [] }

/** Whether a message of a query mentions messages, visible or not, on any board, or they mention it. */
export const IS_MENTIONED = sql<unknown>`(
  exists (select 1 from mentions where mentions.message_id = messages.id)
  or exists (select 1 from mentions where mentions.target_id = messages.id))`

/** Messages shown, so that a popular message does not fill its page. */
const MAX_BY = 20

interface MentionRequest {
  id: bigint
  /** The host of this board in addresses, from hostOf. */
  host: string
}

/** At most one row of a message and a target has either of the two hosts (wire/mentions.ts). */
const mentionsHere = (db: Queryable, host: string) =>
  db.selectFrom('mentions').where('mentions.host', 'in', ['', host]).where(VISIBLE_MESSAGE)

const findMentioning = compiled((db, { id, host }: MentionRequest) =>
  mentionsHere(db, host)
    .innerJoin('messages', 'messages.id', 'mentions.message_id')
    .select(EXCERPT_COLUMNS)
    .where('mentions.target_id', '=', id)
    .orderBy('mentions.message_id')
    .limit(MAX_BY),
)

const countMentioning = compiled((db, { id, host }: MentionRequest) =>
  mentionsHere(db, host)
    .innerJoin('messages', 'messages.id', 'mentions.message_id')
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .where('mentions.target_id', '=', id),
)

const findMentioned = compiled((db, { id, host }: MentionRequest) =>
  mentionsHere(db, host)
    .innerJoin('messages', 'messages.id', 'mentions.target_id')
    .select(EXCERPT_COLUMNS)
    .where('mentions.message_id', '=', id)
    .orderBy('mentions.target_id'),
)

export async function mentionsOf(db: Queryable, request: MentionRequest): Promise<Mentions> {
  const by = await findMentioning(db, request)
  const [all] = by.length < MAX_BY ? [] : await countMentioning(db, request)
  const of = await findMentioned(db, request)
  return {
    by: by.map(asExcerpt),
    by_count: Number(all?.total ?? by.length),
    of: of.map(asExcerpt),
  }
}
