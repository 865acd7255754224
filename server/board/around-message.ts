// Queries for what is around a message: its neighbours in its directory, and the ids nearest to it.
import type { ExpressionBuilder } from 'kysely'
import { compiled } from '../database/compiled.ts'
import { type Queryable, VISIBLE } from '../database/database.ts'
import type { Schema } from '../database/schema/schema.ts'
import { messageUrl } from '../wire/addresses.ts'
import { type Nearby, noRecord } from '../wire/problem.ts'
import type { MessageRecord } from './api.ts'
import { IS_MENTIONED } from './mentions.ts'
import { asMessage, visibleIds, visibleMessages } from './queries.ts'
import { IS_LINKED } from './references.ts'

/** The ids of the previous and next visible message in the same directory; undefined at either end. */
export interface Neighbours {
  previous: bigint | undefined
  next: bigint | undefined
}

/** Selects the id of another message in the directory of a visible one, which is visible by its own row. */
const inItsDirectory = (eb: ExpressionBuilder<Schema, 'messages'>) =>
  eb
    .selectFrom('messages as other')
    .select('other.id')
    .where('other.visible', '=', VISIBLE)
    .whereRef('other.directory_id', '=', 'messages.directory_id')
    .limit(1)

const findInContext = compiled((db, { id }: { id: bigint }) =>
  visibleMessages(db)
    .select('messages.investigation_id')
    .select((eb) => [
      inItsDirectory(eb)
        .whereRef('other.id', '<', 'messages.id')
        .orderBy('other.id', 'desc')
        .as('previous'),
      inItsDirectory(eb).whereRef('other.id', '>', 'messages.id').orderBy('other.id').as('next'),
      IS_LINKED.as('is_linked'),
      IS_MENTIONED.as('is_mentioned'),
    ])
    .where('messages.id', '=', id),
)

/** A message with what its page needs to know of others. */
export interface MessageInContext {
  message: MessageRecord
  neighbours: Neighbours
  /** Whether it belongs to an investigation. */
  isEntry: boolean
  /** Whether it may refer to other messages, or others to it. */
  isLinked: boolean
  /** Whether it may mention other messages, or others it. */
  isMentioned: boolean
}

/** Returns a visible message with its context. @throws Problem message_not_found */
export async function requireInContext(db: Queryable, id: bigint): Promise<MessageInContext> {
  const [row] = await findInContext(db, { id })
  if (!row) throw noRecord('message', id)
  return {
    message: asMessage(row),
    neighbours: { previous: row.previous ?? undefined, next: row.next ?? undefined },
    isEntry: row.investigation_id !== null,
    isLinked: Boolean(row.is_linked),
    isMentioned: Boolean(row.is_mentioned),
  }
}

const findBefore = compiled((db, { id }: { id: bigint }) =>
  visibleIds(db).where('id', '<', id).orderBy('id', 'desc').limit(1),
)

const findAfter = compiled((db, { id }: { id: bigint }) =>
  visibleIds(db).where('id', '>', id).orderBy('id').limit(1),
)

/** Returns links to the visible messages just before and after an id, in any directory. The id need not exist. */
export async function nearestMessages(db: Queryable, id: bigint): Promise<Nearby[]> {
  const found = [...(await findBefore(db, { id })), ...(await findAfter(db, { id }))]
  return found.map((row) => ({ url: messageUrl(row.id), name: `Message ${row.id}` }))
}
