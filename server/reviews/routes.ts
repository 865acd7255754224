// GET /continuity: the public presentation of operators' reviews.
import { answerText } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import type { Store } from '../store/database.ts'
import { readAfter, readLimit } from '../wire/query.ts'
import { REVIEWS } from './api.ts'
import { listReviews, type ReviewPage } from './queries.ts'

/** The HTML of /continuity; server/pages provides it. */
export interface ReviewPages {
  continuity(page: ReviewPage): string
}

export function reviewRoutes(store: Store, pages: ReviewPages): Route[] {
  return attach(REVIEWS, {
    showContinuity: async (call, { cache }) => {
      const asked = { after: readAfter(call.query), limit: readLimit(call.query) }
      const page = await listReviews(store.db, asked)
      return answerText(call, 'html', pages.continuity(page), cache)
    },
  })
}
