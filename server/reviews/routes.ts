// GET /continuity: the public presentation of operators' reviews (specification, Endpoints; decisions.md 7.4).
import { answerText } from '../http/answer.ts'
import type { Route } from '../http/mount.ts'
import type { Store } from '../store/database.ts'
import { readAfter, readLimit } from '../wire/query.ts'
import { listReviews, type ReviewPage } from './queries.ts'

/** The HTML of /continuity; server/pages provides it. */
export interface ReviewPages {
  continuity(page: ReviewPage): string
}

export function reviewRoutes(store: Store, pages: ReviewPages): Route[] {
  return [
    {
      method: 'GET',
      path: '/continuity',
      representation: 'page',
      operation: 'showContinuity',
      handle: async (call) => {
        const page = await listReviews(store.db, readAfter(call.query), readLimit(call.query))
        return answerText(call, 'html', pages.continuity(page), 'no-store')
      },
    },
  ]
}
