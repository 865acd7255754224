// Handles GET /continuity, the public list of operators' reviews.
import type { Database } from '../database/database.ts'
import { answerText } from '../http/answer.ts'
import { attach, type Route } from '../http/mount.ts'
import { readAfter, readLimit } from '../wire/query.ts'
import { REVIEWS } from './api.ts'
import { listReviews, type ReviewPage } from './queries.ts'

/** Renders the HTML of /continuity; server/pages implements it. */
export interface ReviewPages {
  /** @param isClosed true while no message can be published */
  continuity(page: ReviewPage, isClosed: boolean): string
}

export function reviewRoutes(
  { database, modes }: { database: Database; modes: { isClosed(): Promise<boolean> } },
  pages: ReviewPages,
): Route[] {
  return attach(REVIEWS, {
    showContinuity: async (call, { cache }) => {
      const request = { after: readAfter(call.query), limit: readLimit(call.query) }
      const page = await listReviews(database.db, request)
      return answerText(call, 'html', pages.continuity(page, await modes.isClosed()), cache)
    },
  })
}
