// Makes of a program of this version one of a made-up next version, by a migration that adds a column to every table:
// `node --import ./test/support/next-version.ts PROGRAM`.
import { type Kysely, sql } from 'kysely'
import { TABLE_NAMES } from '../../server/database/schema/schema.ts'
import { MIGRATIONS } from '../../server/database/schema/version.ts'

MIGRATIONS['0002_next'] = {
  async up(db: Kysely<unknown>) {
    for (const name of TABLE_NAMES)
      await sql`alter table ${sql.table(name)} add column next text not null default ''`.execute(db)
  },
}
