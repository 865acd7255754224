// Records that a server stopped, so that it can be told from one that is silent.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const stops: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .alterTable('liveness')
      .addColumn('stopped', 'smallint', (c) =>
        c.notNull().defaultTo(0).check(sql`stopped in (0, 1)`),
      )
      .execute()
  },
}
