// Reads what investigations have found so far, in brief: their newest results, corrected and reviewed.
import { asExcerpt, EXCERPT_COLUMNS, type Excerpt, referencesOf } from '../board/references.ts'
import { compiledForValues } from '../database/compiled.ts'
import { type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import type { ReviewOutcome } from '../database/schema/schema.ts'
import { NEWEST_REVIEW } from '../reviews/queries.ts'
import { instant } from '../wire/instant.ts'

/** The newest result of an investigation. */
export interface Finding {
  result: Excerpt
  /** The newest message that corrects it. */
  correction: Excerpt | undefined
  /** Its newest review. */
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
  const references = await referencesOf(
    db,
    rows.map(({ id }) => id),
  )
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
