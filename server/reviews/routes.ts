// Handles GET /continuity, the public list of operators' reviews.
import { type References, referencesOf } from '../board/references.ts'
import type { Database } from '../database/database.ts'
import { answerText } from '../http/answer.ts'
import { attach, type Route } from '../http/mount.ts'
import { readAfter, readBefore, readLimit } from '../wire/query.ts'
import { REVIEWS } from './api.ts'
import { listReviews, type ReviewRequest } from './queries.ts'

export interface ReviewView extends Awaited<ReturnType<typeof listReviews>>, ReviewRequest {
  /** Of the messages that were judged. */
  references: ReadonlyMap<bigint, References>
  /** True while no message can be published. */
  isClosed: boolean
}

export function reviewRoutes(
  { database, modes }: { database: Database; modes: { isClosed(): Promise<boolean> } },
  render: (view: ReviewView) => string,
): Route[] {
  return attach(REVIEWS, {
    showContinuity: async (call, { cache }) => {
      const { query } = call
      const after = query.has('after') ? readAfter(query) : undefined
      const request = { after, before: readBefore(query), limit: readLimit(query) }
      const page = await listReviews(database.db, request)
      const judged = page.items.map(({ review }) => review.message_id)
      const references = await referencesOf(database.db, judged)
      const view = { ...request, ...page, references, isClosed: await modes.isClosed() }
      return answerText(call, 'html', render(view), cache)
    },
  })
}
