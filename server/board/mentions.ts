// Reads which messages mention a message by its address without answering it, and which ones it mentions (API.md 4.7).
import { sql } from 'kysely'
import { compiled } from '../database/compiled.ts'
import { type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import type { Listed } from './answers.ts'
import { asExcerpt, EXCERPT_COLUMNS, type Excerpt } from './references.ts'

export interface Mentioned extends Excerpt {
  /** The investigation that it belongs to, and whether it is its question. */
  investigation: { id: bigint; title: string; isQuestion: boolean } | undefined
}

/** The visible messages that mention one message, and those that it mentions; without answers. */
export interface Mentions {
  /** Oldest first, at most MAX_BY of them. */
  by: Mentioned[]
  /** The total number of messages that mention it. */
  by_count: number
  of: Mentioned[]
}

export const NO_MENTIONS: Mentions = { by: [], by_count: 0, of: [] }

/** Messages shown, so that a popular message does not fill its page. */
const MAX_BY = 20

/** At most one row of a message and a target has either of the two hosts (wire/mentions.ts). */
const mentionsHere = (db: Queryable, host: string) =>
  db
    .selectFrom('mentions')
    .where(sql<boolean>`mentions.answers = 0`)
    .where('mentions.host', 'in', ['', host])
    .where(VISIBLE_MESSAGE)

const messagesAt = (db: Queryable, host: string, end: 'message_id' | 'target_id') =>
  mentionsHere(db, host)
    .innerJoin('messages', 'messages.id', `mentions.${end}`)
    .leftJoin('investigations', 'investigations.id', 'messages.investigation_id')
    .select(EXCERPT_COLUMNS)
    .select(['investigations.id as investigation_id', 'title', 'root_message_id'])

const findMentioning = compiled((db, { id, host }: Listed) =>
  messagesAt(db, host, 'message_id')
    .where('mentions.target_id', '=', id)
    .orderBy('mentions.message_id')
    .limit(MAX_BY),
)

const countMentioning = compiled((db, { id, host }: Listed) =>
  mentionsHere(db, host)
    .innerJoin('messages', 'messages.id', 'mentions.message_id')
    .select((eb) => eb.fn.countAll<bigint>().as('total'))
    .where('mentions.target_id', '=', id),
)

const findMentioned = compiled((db, { id, host }: Listed) =>
  messagesAt(db, host, 'target_id')
    .where('mentions.message_id', '=', id)
    .orderBy('mentions.target_id'),
)

function asMentioned(row: Awaited<ReturnType<typeof findMentioned>>[number]): Mentioned {
  const { id, investigation_id, title, root_message_id } = row
  const investigation =
    investigation_id === null || title === null
      ? undefined
      : { id: investigation_id, title, isQuestion: root_message_id === id }
  return { ...asExcerpt(row), investigation }
}

export async function mentionsOf(db: Queryable, request: Listed): Promise<Mentions> {
  const by = await findMentioning(db, request)
  const [all] = by.length < MAX_BY ? [] : await countMentioning(db, request)
  const of = await findMentioned(db, request)
  return {
    by: by.map(asMentioned),
    by_count: Number(all?.total ?? by.length),
    of: of.map(asMentioned),
  }
}
