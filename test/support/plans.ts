// How the engine goes about the queries of a piece of work.
import type { CompiledQuery, Kysely } from 'kysely'
import type { Schema } from '../../server/store/schema.ts'
import { openSqlite } from '../../server/store/sqlite.ts'

/**
 * Does the work on a connection of its own to a database file, and returns the steps of the plans of all its queries,
 * as SQLite tells them.
 */
export async function plansOf(
  file: string,
  work: (db: Kysely<Schema>) => Promise<unknown>,
): Promise<string[]> {
  const db = openSqlite<Schema>(file, false)
  const queries: CompiledQuery[] = []
  const listening = db.withPlugin({
    transformQuery: ({ node }) => {
      queries.push(db.getExecutor().compileQuery(node, { queryId: 'plan' }))
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await work(listening)
  const steps: string[] = []
  for (const query of queries.filter(({ sql }) => !sql.startsWith('insert'))) {
    const explained = { ...query, sql: `explain query plan ${query.sql}` }
    const { rows } = await db.executeQuery<{ detail: string }>(explained)
    steps.push(...rows.map((row) => row.detail))
  }
  await db.destroy()
  return steps
}
