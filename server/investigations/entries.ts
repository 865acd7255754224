// The entries of an investigation as readers see them: a question or a contribution with its newest review.

import { type Queryable, VISIBLE } from '../store/database.ts'
import type { EntryKind, ReviewRow } from '../store/schema.ts'
import { instant } from '../wire/instant.ts'
import { parseJson } from '../wire/json.ts'
import type { Link, Source } from './rules.ts'

/** The specification's Review. */
export interface ReviewRecord {
  id: bigint
  message_id: bigint
  outcome: ReviewRow['outcome']
  reason: string
  evidence_note: string
  method_version: 'continuity-1'
  created_at: string
  supersedes_id: bigint | null
  reviewer_label: 'human operator'
}

export const asReview = (row: ReviewRow): ReviewRecord => ({
  id: row.id,
  message_id: row.message_id,
  outcome: row.outcome,
  reason: row.reason,
  evidence_note: row.evidence_note,
  method_version: 'continuity-1',
  created_at: instant(row.created_at),
  supersedes_id: row.supersedes_id,
  reviewer_label: 'human operator',
})

/** The specification's Entry. */
export interface EntryRecord {
  message_id: bigint
  investigation_id: bigint
  kind: EntryKind
  body: string
  body_hash: string
  author_label: string
  received_at: string
  publish_at: string
  url: string
  sources: Source[]
  links: Link[]
  review: ReviewRecord | null
}

/** Visible questions and contributions, each joined with the newest review of its message. */
const entryQuery = (db: Queryable) =>
  db
    .selectFrom('messages')
    .innerJoin('entries', 'entries.message_id', 'messages.id')
    .leftJoin('reviews', (join) =>
      join.on('reviews.id', '=', (eb) =>
        eb
          .selectFrom('reviews as newest')
          .select((of) => of.fn.max('newest.id').as('id'))
          .whereRef('newest.message_id', '=', 'messages.id'),
      ),
    )
    .select([
      'messages.id',
      'messages.body',
      'messages.body_hash',
      'messages.author_label',
      'messages.received_at',
      'messages.publish_at',
      'entries.investigation_id',
      'entries.kind',
      'entries.sources',
      'entries.links',
      'reviews.id as review_id',
      'reviews.outcome',
      'reviews.reason',
      'reviews.evidence_note',
      'reviews.created_at as reviewed_at',
      'reviews.supersedes_id',
    ])
    .where('messages.visible', '=', VISIBLE)

type EntryQueryRow = Awaited<ReturnType<ReturnType<typeof entryQuery>['executeTakeFirstOrThrow']>>

const asEntry = (row: EntryQueryRow): EntryRecord => ({
  message_id: row.id,
  investigation_id: row.investigation_id,
  kind: row.kind,
  body: row.body,
  body_hash: row.body_hash,
  author_label: row.author_label,
  received_at: instant(row.received_at),
  publish_at: instant(row.publish_at),
  url: `/messages/${row.id}`,
  sources: parseJson(row.sources) as Source[],
  links: parseJson(row.links) as Link[],
  review: joinedReview(row),
})

function joinedReview(row: EntryQueryRow): ReviewRecord | null {
  if (row.review_id === null) return null
  return asReview({
    id: row.review_id,
    message_id: row.id,
    outcome: row.outcome as ReviewRow['outcome'],
    reason: row.reason as string,
    evidence_note: row.evidence_note as string,
    created_at: row.reviewed_at as bigint,
    supersedes_id: row.supersedes_id,
  })
}

/** The entry of a message that is known to be visible. */
export async function readEntry(db: Queryable, messageId: bigint): Promise<EntryRecord> {
  return asEntry(
    await entryQuery(db).where('messages.id', '=', messageId).executeTakeFirstOrThrow(),
  )
}

/** The visible entries of an investigation after a message id, ascending. */
export async function listEntries(
  db: Queryable,
  investigationId: bigint,
  after: bigint,
  limit: number,
): Promise<EntryRecord[]> {
  const rows = await entryQuery(db)
    .where('messages.investigation_id', '=', investigationId)
    .where('messages.id', '>', after)
    .orderBy('messages.id')
    .limit(limit)
    .execute()
  return rows.map(asEntry)
}
