// Records and lists reviews. Rows are only ever added (API.md 7.3, 7.4).
import { sql } from 'kysely'
import { MAX_ID } from '../../archive/format/scalars.ts'
import { compiled } from '../database/compiled.ts'
import { type Queryable, type Transaction, VISIBLE_MESSAGE } from '../database/database.ts'
import { logAction } from '../database/records/action-log.ts'
import { lastPublication, nextId, raiseFloor } from '../database/records/sequences.ts'
import { allOf, type ReviewRow } from '../database/schema/schema.ts'
import { instant } from '../wire/instant.ts'
import { cutPage } from '../wire/page.ts'
import { Problem } from '../wire/problem.ts'
import type { ReviewRecord } from './api.ts'
import type { ReviewInput } from './rules.ts'

/** The id of the newest review of an entry's message, which is the one shown to readers; for joins with `reviews`. */
export const NEWEST_REVIEW = sql<bigint>`(
  select max(newest.id) from reviews as newest where newest.message_id = entries.message_id)`

export const asReview = (row: ReviewRow): ReviewRecord => ({
  id: row.id,
  message_id: row.message_id,
  outcome: row.outcome,
  // Empty once it was erased.
  reason: row.reason === '' ? null : row.reason,
  evidence_note: row.evidence_note,
  method_version: 'continuity-1',
  created_at: instant(row.created_at),
  supersedes_id: row.supersedes_id,
  reviewer_label: 'human operator',
})

const findReviewsOf = compiled((db, { messageId }: { messageId: bigint }) =>
  db
    .selectFrom('reviews')
    .select(allOf('reviews'))
    .where('message_id', '=', messageId)
    .orderBy('id', 'desc')
    .limit(MOST_OF_ONE),
)

/** Reviews of one message that a page shows. */
const MOST_OF_ONE = 10

/** Returns the newest reviews of a message, oldest first. */
export async function reviewsOf(db: Queryable, messageId: bigint): Promise<ReviewRecord[]> {
  return (await findReviewsOf(db, { messageId })).map(asReview).reverse()
}

export interface ReviewRequest {
  /** List in ascending order after this id; undefined for the newest first. */
  after: bigint | undefined
  /** Newest first: only reviews before this id; undefined for the newest. */
  before: bigint | undefined
  limit: number
}

/**
 * Records a review, which supersedes the newest one of its message, and logs it in the moderation log.
 * @param now ms since 1970
 * @throws Problem message_not_found; invalid_request when the message belongs to no investigation
 */
export async function recordReview(
  tx: Transaction,
  input: ReviewInput,
  now: number,
): Promise<ReviewRecord> {
  await requireReviewable(tx, input.message_id)
  const earlier = await tx
    .selectFrom('reviews')
    .select('id')
    .where('message_id', '=', input.message_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  await raiseFloor(tx, now)
  const row = {
    id: await nextId(tx, 'review'),
    ...input,
    created_at: BigInt(await lastPublication(tx)),
    supersedes_id: earlier?.id ?? null,
  }
  await tx.insertInto('reviews').values(row).execute()
  const target = { target_kind: 'message', target: String(input.message_id) } as const
  await logAction(tx, { act: 'review', ...target, reason: input.reason }, now)
  return asReview(row)
}

async function requireReviewable(tx: Transaction, messageId: bigint): Promise<void> {
  const message = await tx
    .selectFrom('messages')
    .select('investigation_id')
    .where('id', '=', messageId)
    .where(VISIBLE_MESSAGE)
    .executeTakeFirst()
  if (!message) throw new Problem('message_not_found', `there is no visible message ${messageId}`)
  if (message.investigation_id === null)
    throw new Problem('invalid_request', `message ${messageId} does not belong to an investigation`)
}

export async function listReviews(db: Queryable, { after, before, limit }: ReviewRequest) {
  const reviews = db
    .selectFrom('reviews')
    // SQLite never reorders a cross join. Otherwise it would read all visible messages first and sort their reviews.
    .crossJoin('messages')
    .innerJoin('investigations', 'investigations.id', 'messages.investigation_id')
    .leftJoin('reviews as later', 'later.supersedes_id', 'reviews.id')
    .select(allOf('reviews'))
    .select(['messages.investigation_id', 'investigations.title', 'later.id as superseded_by'])
    .select(['messages.author_label', 'messages.body'])
    .whereRef('messages.id', '=', 'reviews.message_id')
    .where(VISIBLE_MESSAGE)
    .limit(limit + 1)
  const found =
    after === undefined
      ? reviews.where('reviews.id', '<', before ?? MAX_ID).orderBy('reviews.id', 'desc')
      : reviews.where('reviews.id', '>', after).orderBy('reviews.id')
  const { rows, hasMore } = cutPage(await found.execute(), limit)
  const items = rows.map((row) => ({
    review: asReview(row),
    /** The message that it judges. */
    claim: { message_id: row.message_id, author_label: row.author_label, beginning: row.body },
    investigation_id: row.investigation_id as bigint,
    title: row.title,
    /** The id of the review that superseded this one. */
    superseded_by: row.superseded_by,
  }))
  return { items, hasMore }
}
