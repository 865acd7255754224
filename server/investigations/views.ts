// Reads the content of the HTML pages of investigations.
import { RELATIONS } from '../../archive/format/record-lines.ts'
import { answersOf } from '../board/answers.ts'
import type { MessageRecord } from '../board/api.ts'
import { requireMessage, suggestedDirectories, visibleMessage } from '../board/queries.ts'
import { referencesOf } from '../board/references.ts'
import type { Queryable } from '../database/database.ts'
import type { PublishingContext } from '../publishing/create.ts'
import { reviewsOf } from '../reviews/queries.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { idGiven } from '../wire/query.ts'
import { type Activities, type Activity, type ActivityRequest, newestActivity } from './activity.ts'
import type { SummaryRecord } from './api.ts'
import { newestResult } from './entries.ts'
import {
  type Finding,
  findingsOf,
  listInvestigations,
  readInvestigation,
  summariesById,
} from './queries.ts'
import type { Link } from './rules.ts'

export interface InvestigationPages {
  investigations(view: InvestigationsView): string
  investigation(view: InvestigationView): string
}

export interface ListRequest extends ActivityRequest {
  /** List in ascending order after this id; undefined for the newest activity first. */
  after: bigint | undefined
}

export interface ListedInvestigation {
  summary: SummaryRecord
  /** Undefined if it is not counted yet. */
  activity: Activity | undefined
  /** Undefined without a result, or while activity is being counted. */
  finding: Finding | undefined
}

interface ListContent {
  /** Null while the list is by activity, and activity is still being counted. */
  items: ListedInvestigation[] | null
  /** The cursor of the next page in the same order; undefined on the last page. */
  cursor: bigint | undefined
  /** Paths of directories that a new question can be asked in. */
  suggested: string[]
}

export interface InvestigationsView extends ListContent, ListRequest, PublishingContext {
  /** The message that a new question is about; null if none was chosen. */
  about: MessageRecord | null
  /** Wall time [ms since 1970]. */
  now: number
}

export interface InvestigationView
  extends Awaited<ReturnType<typeof investigationContent>>,
    PublishingContext {
  /** The link that a new contribution begins with; null if none was chosen. */
  refers_to: { relation: Link['relation']; message: MessageRecord } | null
  activity: Activity | undefined
}

/** Default sizes of the HTML pages. */
export const INVESTIGATIONS_SHOWN = 25
export const ENTRIES_SHOWN = 25

/** @param activities null while they are being counted */
export async function listContent(
  db: Queryable,
  activities: Activities | null,
  request: ListRequest,
): Promise<ListContent> {
  const suggested = await suggestedDirectories(db)
  const { after, limit } = request
  if (after !== undefined) {
    const { items, next_after, has_more } = await listInvestigations(db, { after, limit })
    const listed = items.map((summary) => ({ summary, activity: activities?.get(summary.id) }))
    const cursor = has_more ? next_after : undefined
    return { items: await withFindings(db, listed), cursor, suggested }
  }
  if (activities === null) return { items: null, cursor: undefined, suggested }
  const { rows, hasMore } = cutPage(newestActivity(activities, request), limit)
  const ids = rows.map(({ investigationId }) => investigationId)
  const summaries = await summariesById(db, ids)
  const items = rows.flatMap((activity) => {
    const summary = summaries.get(activity.investigationId)
    return summary ? [{ summary, activity }] : []
  })
  const cursor = hasMore ? rows.at(-1)?.lastId : undefined
  return { items: await withFindings(db, items), cursor, suggested }
}

async function withFindings(
  db: Queryable,
  items: readonly Omit<ListedInvestigation, 'finding'>[],
): Promise<ListedInvestigation[]> {
  const results = items.flatMap(({ activity }) => (activity?.resultId ? activity.resultId : []))
  const findings = await findingsOf(db, results)
  return items.map((item) => ({ ...item, finding: findings.get(item.activity?.resultId ?? 0n) }))
}

/**
 * @param host from hostOf
 * @throws Problem investigation_not_found
 */
export async function investigationContent(
  tx: Queryable,
  id: bigint,
  request: PageRequest<bigint>,
  host: string,
) {
  const detail = await readInvestigation(tx, id, request)
  const result = await newestResult(tx, id)
  const shown = new Set(
    [detail.investigation, ...detail.entries, ...(result ? [result] : [])].map(
      ({ message_id }) => message_id,
    ),
  )
  const { directory } = await requireMessage(tx, detail.investigation.message_id)
  return {
    ...{ ...detail, directory },
    /** The newest result, which may be on another page; null if there is none. */
    result,
    /** The reviews of the result, oldest first. */
    reviews: result?.review ? await reviewsOf(tx, result.message_id) : [],
    /** Of the question, the entries and the result, as far as they have any, by message id. */
    references: await referencesOf(tx, [...shown]),
    answers: await answersOf(tx, [...shown], host),
  }
}

/** Reads the link that a query such as `?corrects=12` gives to the form of a contribution. */
export async function referenceGiven(
  db: Queryable,
  query: URLSearchParams,
): Promise<InvestigationView['refers_to']> {
  const relation = RELATIONS.find((name) => query.has(name))
  const message = relation && (await visibleMessage(db, idGiven(query, relation)))
  return message ? { relation, message } : null
}
