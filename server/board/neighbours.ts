// Queries for messages relative to an id: a page before it, its neighbours in its directory, and the ids nearest to it.
import { compiled } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import { MAX_ID } from '../database/schema/schema.ts'
import { messageUrl } from '../wire/addresses.ts'
import { cutPage } from '../wire/page.ts'
import type { Nearby } from '../wire/problem.ts'
import type { MessageRecord } from './api.ts'
import { asMessage, visibleIds, visibleMessages } from './queries.ts'

/** The ids of the previous and next visible message in the same directory; undefined at either end. */
export interface Neighbours {
  previous: bigint | undefined
  next: bigint | undefined
}

interface UpTo {
  directoryId: bigint
  /** Inclusive. */
  upto: bigint
  limit: number
}

const pageUpTo = compiled((db, { directoryId, upto, limit }: UpTo) =>
  visibleMessages(db)
    .where('messages.directory_id', '=', directoryId)
    .where('messages.id', '<=', upto)
    .orderBy('messages.id', 'desc')
    .limit(limit),
)

/** Returns a page of a directory's visible messages, newest first: those before an id, or the newest of all. */
export async function messagesBefore(
  db: Queryable,
  { before, limit }: { before: bigint | undefined; limit: number },
  directoryId: bigint,
): Promise<{ messages: MessageRecord[]; hasMore: boolean }> {
  const upto = before === undefined ? MAX_ID : before - 1n
  const found = await pageUpTo(db, { directoryId, upto, limit: limit + 1 })
  const { rows, hasMore } = cutPage(found, limit)
  return { messages: rows.map(asMessage), hasMore }
}

const directoryOf = (db: Queryable, id: bigint) =>
  db.selectFrom('messages').select('directory_id').where('id', '=', id)

const findPrevious = compiled((db, { id }: { id: bigint }) =>
  visibleIds(db)
    .where('directory_id', '=', directoryOf(db, id))
    .where('id', '<', id)
    .orderBy('id', 'desc')
    .limit(1),
)

const findNext = compiled((db, { id }: { id: bigint }) =>
  visibleIds(db)
    .where('directory_id', '=', directoryOf(db, id))
    .where('id', '>', id)
    .orderBy('id')
    .limit(1),
)

export async function neighboursOf(db: Queryable, id: bigint): Promise<Neighbours> {
  const [previous] = await findPrevious(db, { id })
  const [next] = await findNext(db, { id })
  return { previous: previous?.id, next: next?.id }
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
