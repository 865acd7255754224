// What the pages of the investigations show.
import { requireMessage, suggestedDirectories } from '../board/queries.ts'
import { type References, referencesOf } from '../board/references.ts'
import type { PublishingContext } from '../publishing/context.ts'
import type { Queryable } from '../store/database.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { type Activities, type Activity, type ActivityAsked, newestActivity } from './activity.ts'
import type { InvestigationDetail, SummaryRecord } from './api.ts'
import { listInvestigations, readInvestigation, summariesById } from './queries.ts'

/** The HTML of the shared paths; server/pages provides it. */
export interface InvestigationPages {
  investigations(view: InvestigationsView): string
  investigation(view: InvestigationView): string
}

export interface ListAsked extends ActivityAsked {
  /** List by ascending id, above this one; undefined for the newest activity first. */
  after: bigint | undefined
}

export interface ListedInvestigation {
  summary: SummaryRecord
  /** Undefined in the moment before it is counted. */
  activity: Activity | undefined
}

interface ListContent {
  items: ListedInvestigation[]
  /** Where the next page goes on, in the same order; undefined on the last one. */
  cursor: bigint | undefined
  /** Paths of directories, for a new question to lie in. */
  suggested: string[]
}

/** A page of investigations. */
export interface InvestigationsView extends ListContent, ListAsked, PublishingContext {
  /** Wall time [ms since 1970]. */
  now: number
}

interface InvestigationContent extends InvestigationDetail {
  /** The path of the directory that its messages are in. */
  directory: string
  /** Of the question and the entries on the page, those that have any. */
  references: Map<bigint, References>
}

export interface InvestigationView extends InvestigationContent, PublishingContext {
  activity: Activity | undefined
}

/** Investigations, and entries of one, on a page for people. */
export const INVESTIGATIONS_SHOWN = 25
export const ENTRIES_SHOWN = 25

export async function listContent(
  db: Queryable,
  activities: Activities,
  asked: ListAsked,
): Promise<ListContent> {
  const suggested = await suggestedDirectories(db)
  const { after, limit } = asked
  if (after !== undefined) {
    const { items, next_after, has_more } = await listInvestigations(db, { after, limit })
    const listed = items.map((summary) => ({ summary, activity: activities.get(summary.id) }))
    return { items: listed, cursor: has_more ? next_after : undefined, suggested }
  }
  const { rows, hasMore } = cutPage(newestActivity(activities, asked), limit)
  const ids = rows.map(({ investigationId }) => investigationId)
  const summaries = await summariesById(db, ids)
  const items = rows.flatMap((activity) => {
    const summary = summaries.get(activity.investigationId)
    return summary ? [{ summary, activity }] : []
  })
  return { items, cursor: hasMore ? rows.at(-1)?.lastId : undefined, suggested }
}

/** @throws Problem investigation_not_found */
export async function investigationContent(
  tx: Parameters<typeof readInvestigation>[0],
  id: bigint,
  asked: PageRequest<bigint>,
): Promise<InvestigationContent> {
  const detail = await readInvestigation(tx, id, asked)
  const shown = [detail.investigation, ...detail.entries].map(({ message_id }) => message_id)
  const { directory } = await requireMessage(tx, detail.investigation.message_id)
  return { ...detail, directory, references: await referencesOf(tx, shown) }
}
