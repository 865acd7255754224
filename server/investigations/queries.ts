// Queries for investigations: lists of summaries, and one investigation with a page of its entries.
import { exactNumber } from '../../archive/base/json.ts'
import { asExcerpt, EXCERPT_COLUMNS, type Excerpt, referencesOf } from '../board/references.ts'
import { compiled, compiledForValues } from '../database/compiled.ts'
import { type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import type { ReviewOutcome } from '../database/schema/schema.ts'
import { NEWEST_REVIEW } from '../reviews/queries.ts'
import { investigationUrl } from '../wire/addresses.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { type Nearby, noRecord } from '../wire/problem.ts'
import type { InvestigationDetail, InvestigationPage, SummaryRecord } from './api.ts'
import { type AnyEntry, readQuestionAndPage } from './entries.ts'

const findInvestigation = compiled((db, { id }: { id: bigint }) =>
  db
    .selectFrom('investigations')
    .select(['title', 'root_message_id'])
    .where('id', '=', id)
    .where('visible', '=', VISIBLE),
)

/** Returns the title and the question's id of a visible investigation. @throws Problem investigation_not_found */
export async function requireInvestigation(db: Queryable, id: bigint) {
  const [row] = await findInvestigation(db, { id })
  if (!row) throw noRecord('investigation', id)
  return row
}

const summaryQuery = (db: Queryable) =>
  db
    .selectFrom('investigations')
    .innerJoin('directories', 'directories.id', 'investigations.directory_id')
    .innerJoin('messages', 'messages.id', 'investigations.root_message_id')
    .select([
      'investigations.id',
      'investigations.title',
      'directories.path',
      'messages.author_label',
      'messages.received_at',
    ])
    .where('investigations.visible', '=', VISIBLE)

const summariesAfter = compiled((db, { after, limit }: PageRequest<bigint>) =>
  summaryQuery(db).where('investigations.id', '>', after).orderBy('investigations.id').limit(limit),
)

const summariesOf = compiledForValues((db, ids: readonly bigint[]) =>
  summaryQuery(db).where('investigations.id', 'in', ids),
)

const asSummary = (row: Awaited<ReturnType<typeof summariesOf>>[number]): SummaryRecord => ({
  id: row.id,
  title: row.title,
  directory: row.path,
  author_label: row.author_label,
  received_at: instant(row.received_at),
  url: investigationUrl(row.id),
  format_version: 1,
})

export async function listInvestigations(
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
): Promise<InvestigationPage> {
  const found = await summariesAfter(db, { after, limit: limit + 1 })
  const { rows, hasMore } = cutPage(found, limit)
  const items = rows.map(asSummary)
  return { items, next_after: items.at(-1)?.id ?? after, has_more: hasMore }
}

/** Returns links to the visible investigations just before and after an id, which need not exist. */
export async function nearestInvestigations(db: Queryable, id: bigint): Promise<Nearby[]> {
  const nearest = db
    .selectFrom('investigations')
    .select(['id', 'title'])
    .where('visible', '=', VISIBLE)
    .limit(1)
  const before = await nearest.where('id', '<', id).orderBy('id', 'desc').execute()
  const after = await nearest.where('id', '>', id).orderBy('id').execute()
  return [...before, ...after].map((row) => ({ url: investigationUrl(row.id), name: row.title }))
}

export async function summariesById(
  db: Queryable,
  ids: readonly bigint[],
): Promise<Map<bigint, SummaryRecord>> {
  const rows = await summariesOf(db, ids)
  return new Map(rows.map((row) => [row.id, asSummary(row)]))
}

/**
 * Returns an investigation with its question and a page of its entries after a message id.
 * @throws Problem investigation_not_found
 */
export async function readInvestigation(
  db: Queryable,
  id: bigint,
  request: PageRequest<bigint>,
): Promise<InvestigationDetail> {
  const found = await readQuestionAndPage(db, id, request)
  if (!found) throw noRecord('investigation', id)
  const { question, rows: entries, hasMore } = found
  return {
    investigation: question,
    entries,
    next_after: entries.at(-1)?.message_id ?? request.after,
    has_more: hasMore,
  }
}

/** The same as stringifyJson, which calls a function for each property and takes half as long again. */
export const investigationJson = (detail: InvestigationDetail): string =>
  JSON.stringify({
    investigation: withNumbers(detail.investigation),
    entries: detail.entries.map(withNumbers),
    next_after: exactNumber(detail.next_after),
    has_more: detail.has_more,
  })

const withNumbers = <Entry extends AnyEntry>(entry: Entry) => ({
  ...entry,
  message_id: exactNumber(entry.message_id),
  investigation_id: exactNumber(entry.investigation_id),
  links: entry.links.map((link) => ({ ...link, message_id: exactNumber(link.message_id) })),
  review: entry.review && {
    ...entry.review,
    id: exactNumber(entry.review.id),
    message_id: exactNumber(entry.review.message_id),
    supersedes_id: entry.review.supersedes_id && exactNumber(entry.review.supersedes_id),
  },
})

export interface Finding {
  result: Excerpt
  /** The newest message that corrects it. */
  correction: Excerpt | undefined
  review: { outcome: ReviewOutcome; created_at: string } | undefined
}

const findResults = compiledForValues((db, ids: readonly bigint[]) =>
  db
    .selectFrom('messages')
    .innerJoin('entries', 'entries.message_id', 'messages.id')
    .leftJoin('reviews', (join) => join.on('reviews.id', '=', NEWEST_REVIEW))
    .select([...EXCERPT_COLUMNS, 'reviews.outcome', 'reviews.created_at as reviewed_at'])
    .where('messages.id', 'in', ids)
    .where(VISIBLE_MESSAGE),
)

/**
 * Returns the findings of investigations by the ids of their results.
 * @param ids of newest results, as in Activity; hidden ones are left out
 */
export async function findingsOf(
  db: Queryable,
  ids: readonly bigint[],
): Promise<Map<bigint, Finding>> {
  const rows = await findResults(db, ids)
  const found = rows.map(({ id }) => id)
  const references = await referencesOf(db, found)
  return new Map(
    rows.map((row) => {
      const { id, outcome, reviewed_at } = row
      const correction = references.get(id)?.from.find(({ relation }) => relation === 'corrects')
      const review =
        outcome === null || reviewed_at === null
          ? undefined
          : { outcome, created_at: instant(reviewed_at) }
      return [id, { result: asExcerpt(row), correction, review }]
    }),
  )
}
