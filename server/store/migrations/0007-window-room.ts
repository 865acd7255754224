// Room on every page of the windows, which each batch counts up: PostgreSQL then keeps a row's next version next to it.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { isSqlite } from '../engine.ts'

/** New pages are filled to half. Fuller ones send versions elsewhere, and to the index; a tenth spreads the rows over more. */
export const windowRoom: Migration = {
  async up(db: Kysely<unknown>) {
    if (!isSqlite(db)) await sql`alter table rate_windows set (fillfactor = 50)`.execute(db)
  },
}
