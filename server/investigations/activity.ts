// Counts the activity of each investigation, for the pages that list the newest activity first.
import { sql } from 'kysely'
import { type IdRange, IncrementalCounts } from '../board/incremental-counts.ts'
import { compiled } from '../database/compiled.ts'
import { type Database, type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import type { EntryKind, ReviewOutcome } from '../database/schema/schema.ts'
import { NEWEST_REVIEW } from '../reviews/queries.ts'

export interface Activity {
  investigationId: bigint
  /** The id of its newest visible message. */
  lastId: bigint
  /** Publication time of that message [ms since 1970]. */
  lastAt: bigint
  /** The id of its newest visible result; 0 if there is none. */
  resultId: bigint
  /** Number of visible entries by kind; a missing kind means 0. */
  kinds: Partial<Record<EntryKind, number>>
  /** Number of messages by the outcome of their newest review; a missing outcome means 0. */
  outcomes: Partial<Record<ReviewOutcome, number>>
  /** Total number of sources declared in its entries. */
  sources: number
}

export class Activities {
  /** In the order of their newest messages, ascending. */
  readonly #byId = new Map<bigint, Activity>()
  #newestFirst: readonly Activity[] | undefined

  get(investigationId: bigint): Activity | undefined {
    return this.#byId.get(investigationId)
  }

  /** Adds or updates an activity whose newest message is the newest of all. */
  setNewest(activity: Activity): void {
    this.#byId.delete(activity.investigationId)
    this.#byId.set(activity.investigationId, activity)
    this.#newestFirst = undefined
  }

  /** The list is cached until the next change, because there may be very many investigations. */
  newestFirst(): readonly Activity[] {
    this.#newestFirst ??= [...this.#byId.values()].reverse()
    return this.#newestFirst
  }
}

/** Counts the activity of all visible investigations. A review is an operator action too, so it triggers a recount. */
export const investigationActivity = (database: Database): IncrementalCounts<Activities> =>
  new IncrementalCounts<Activities>(database, { begin: () => new Activities(), add })

const activityIn = compiled((db, { after, upto }: IdRange) =>
  db
    .selectFrom('entries')
    .innerJoin('messages', 'messages.id', 'entries.message_id')
    .leftJoin('reviews', (join) => join.on('reviews.id', '=', NEWEST_REVIEW))
    .select([
      'entries.investigation_id',
      'entries.kind',
      'reviews.outcome',
      sql<bigint>`count(*)`.as('count'),
      sql<bigint>`cast(sum(entries.source_count) as bigint)`.as('sources'),
      sql<bigint>`max(messages.id)`.as('last_id'),
      sql<bigint>`max(messages.publish_at)`.as('last_at'),
    ])
    .where(VISIBLE_MESSAGE)
    .where('entries.message_id', '>', after)
    .where('entries.message_id', '<=', upto)
    .groupBy(['entries.investigation_id', 'entries.kind', 'reviews.outcome'])
    .orderBy('last_id'),
)

async function add(db: Queryable, activities: Activities, range: IdRange): Promise<void> {
  for (const row of await activityIn(db, range)) {
    const investigationId = row.investigation_id
    const activity = activities.get(investigationId) ?? blank(investigationId)
    const count = Number(row.count)
    activity.kinds[row.kind] = (activity.kinds[row.kind] ?? 0) + count
    if (row.outcome !== null)
      activity.outcomes[row.outcome] = (activity.outcomes[row.outcome] ?? 0) + count
    activity.sources += Number(row.sources)
    activity.lastId = row.last_id
    activity.lastAt = row.last_at
    if (row.kind === 'result') activity.resultId = row.last_id
    activities.setNewest(activity)
  }
}

const blank = (investigationId: bigint): Activity => ({
  investigationId,
  lastId: 0n,
  lastAt: 0n,
  resultId: 0n,
  kinds: {},
  outcomes: {},
  sources: 0,
})

export interface ActivityRequest {
  /** Only investigations whose newest message has a smaller id. */
  before: bigint | undefined
  limit: number
  /** Only investigations with a result. */
  withResult: boolean
  /** Only investigations without any reviewed message. */
  withoutReview: boolean
}

/** Returns up to `limit` + 1 investigations, newest activity first. */
export function newestActivity(
  activities: Activities,
  { before, limit, withResult, withoutReview }: ActivityRequest,
): Activity[] {
  const found: Activity[] = []
  for (const activity of activities.newestFirst()) {
    if (before !== undefined && activity.lastId >= before) continue
    if (withResult && !activity.kinds.result) continue
    if (withoutReview && Object.keys(activity.outcomes).length > 0) continue
    if (found.push(activity) > limit) break
  }
  return found
}
