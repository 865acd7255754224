// GET /healthz: whether the database answers (decisions.md section 10).
import { sql } from 'kysely'
import { answerJson } from './http/answer.ts'
import type { Route } from './http/mount.ts'
import type { Store } from './store/database.ts'
import { Problem } from './wire/problem.ts'

export function healthRoutes(store: Store): Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      representation: 'data',
      operation: 'readHealth',
      handle: async ({ request }) => {
        await sql`select 1 from settings`.execute(store.db).catch(() => {
          throw new Problem('storage_unavailable', 'the database does not answer')
        })
        return answerJson(request, { status: 'ok' }, 'no-store')
      },
    },
  ]
}
