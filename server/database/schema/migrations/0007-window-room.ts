// Leaves free space on the pages of rate_windows, whose rows each batch updates: PostgreSQL then stores a row's next
// version on the same page.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../../engine.ts'

/** Fuller pages move versions to other pages, which updates the index too; emptier ones spread the rows further. */
export const windowRoom: Migration = {
  async up(db: Kysely<unknown>) {
    if (!isSqlite(db)) await sql`alter table rate_windows set (fillfactor = 50)`.execute(db)
  },
}
