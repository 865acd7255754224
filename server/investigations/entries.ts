// Queries for the entries of an investigation: its question and contributions, each with its newest review.
import { sql } from 'kysely'
import { parseJson } from '../../archive/base/json.ts'
import type { IncrementalCounts } from '../board/incremental-counts.ts'
import { beginningOf, type Excerpt } from '../board/references.ts'
import { compiled } from '../database/compiled.ts'
import { type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import type { EntryKind, ReviewRow } from '../database/schema/schema.ts'
import type { ReviewRecord } from '../reviews/api.ts'
import { asReview, NEWEST_REVIEW } from '../reviews/queries.ts'
import { messageUrl } from '../wire/addresses.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import type { Activities, Activity } from './activity.ts'
import type { EntryRecord, RootRecord } from './api.ts'
import type { Link, Source } from './rules.ts'

export type AnyEntry = Omit<EntryRecord, 'kind'> & { kind: EntryKind }

/** Selects visible questions and contributions, each joined with the newest review of its message. */
const entryQuery = (db: Queryable) =>
  db
    .selectFrom('messages')
    .innerJoin('entries', 'entries.message_id', 'messages.id')
    .leftJoin('reviews', (join) => join.on('reviews.id', '=', NEWEST_REVIEW))
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
    .where(VISIBLE_MESSAGE)

const findEntry = compiled((db, { messageId }: { messageId: bigint }) =>
  entryQuery(db)
    .innerJoin('investigations', 'investigations.id', 'entries.investigation_id')
    .innerJoin('messages as question', 'question.id', 'investigations.root_message_id')
    .select(['investigations.title', 'question.id as asked', 'question.author_label as asker'])
    .select(beginningOf('question').as('beginning'))
    .where('messages.id', '=', messageId),
)

/** Selects the id of the question of a visible investigation, and its title. */
const questionOf = (db: Queryable, investigationId: bigint) =>
  db
    .selectFrom('investigations')
    .select(['root_message_id as id', 'title'])
    .where('id', '=', investigationId)
    .where('visible', '=', VISIBLE)
    .$castTo<{ id: bigint; title: string | null }>()

/** Selects the ids of a page of contributions from an index alone. */
const pageOf = (
  db: Queryable,
  { investigationId, after, limit }: PageRequest<bigint> & { investigationId: bigint },
) =>
  db
    .selectFrom('messages')
    .select(['id', sql<string | null>`cast(null as text)`.as('title')])
    // All are in the directory of the question: a sweep (VISIBLE_MESSAGE) hides all of them or none.
    .where('visible', '=', VISIBLE)
    .where('investigation_id', '=', investigationId)
    .where('id', '>', after)
    .where('id', '>', (eb) =>
      eb
        .selectFrom('investigations')
        .select('root_message_id')
        .where('investigations.id', '=', investigationId),
    )
    .orderBy('id')
    .limit(limit)

/**
 * Selects the question of a visible investigation and a page of its contributions. One statement, so that an investigation
 * that is hidden or shown meanwhile has all of its parts or none. The ids are selected first: SQLite copies each row of a
 * union.
 */
const questionAndPage = compiled(
  (db, request: PageRequest<bigint> & { investigationId: bigint }) => {
    const page = db.selectFrom(pageOf(db, request).as('page')).selectAll()
    return entryQuery(db)
      .innerJoin(
        questionOf(db, request.investigationId).unionAll(page).as('listed'),
        'listed.id',
        'messages.id',
      )
      .select('listed.title')
  },
)

const newestResultIn = compiled((db, { investigationId }: { investigationId: bigint }) =>
  entryQuery(db)
    .where('messages.investigation_id', '=', investigationId)
    .where('entries.kind', '=', 'result')
    .orderBy('messages.id', 'desc')
    .limit(1),
)

type EntryQueryRow = Awaited<ReturnType<ReturnType<typeof entryQuery>['executeTakeFirstOrThrow']>>

const EMPTY = '[]'

const asEntry = (row: EntryQueryRow): AnyEntry => ({
  message_id: row.id,
  investigation_id: row.investigation_id,
  kind: row.kind,
  body: row.body,
  body_hash: row.body_hash,
  author_label: row.author_label,
  received_at: instant(row.received_at),
  publish_at: instant(row.publish_at),
  url: messageUrl(row.id),
  // Written by this service, and without numbers: it needs neither the checks of parseJson nor its exact integers.
  sources: row.sources === EMPTY ? [] : (JSON.parse(row.sources) as Source[]),
  links: row.links === EMPTY ? [] : (parseJson(row.links) as Link[]),
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

export interface EntryInContext {
  entry: AnyEntry
  title: string
  question: Omit<Excerpt, 'publish_at'>
  /** Undefined while activity is being counted. */
  activity: Activity | undefined
}

/** Returns the reader of a visible question or contribution with its investigation; null for a plain or hidden message. */
export const entryReader =
  (counts: IncrementalCounts<Activities>) =>
  async (db: Queryable, messageId: bigint): Promise<EntryInContext | null> => {
    const [row] = await findEntry(db, { messageId })
    if (!row) return null
    const { title, asked, asker, beginning } = row
    const question = { message_id: asked, author_label: asker, beginning }
    const activity = (await counts.completeOrNull())?.get(row.investigation_id)
    return { entry: asEntry(row), title, question, activity }
  }

/** Returns the question of a visible investigation and its contributions after a message id; undefined if there is none. */
export async function readQuestionAndPage(
  db: Queryable,
  investigationId: bigint,
  { after, limit }: PageRequest<bigint>,
) {
  const all = await questionAndPage(db, { investigationId, after, limit: limit + 1 })
  // A union has no order. The question precedes every contribution.
  const [first, ...found] = all.sort((a, b) => (a.id < b.id ? -1 : 1))
  if (!first || first.title === null) return undefined
  const { rows, hasMore } = cutPage(found, limit)
  const question: RootRecord = {
    ...asEntry(first),
    kind: 'question',
    title: first.title,
    format_version: 1,
  }
  return { question, rows: rows.map(asEntry) as EntryRecord[], hasMore }
}

/** Returns the newest visible result of an investigation; null if there is none. */
export async function newestResult(
  db: Queryable,
  investigationId: bigint,
): Promise<AnyEntry | null> {
  const [row] = await newestResultIn(db, { investigationId })
  return row ? asEntry(row) : null
}
