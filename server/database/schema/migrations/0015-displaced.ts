// Adds an index of the few messages that were published long after they were received, as when the clock was set. For each
// day that it seals, the pipeline read all messages to find them.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'

export const displaced: Migration = {
  async up(db: Kysely<unknown>) {
    // The condition of readDisplaced in pipeline/queries.ts: the engines use the index only for the same one.
    await sql`create index messages_displaced on messages (publish_at)
      where publish_at - received_at > 60000`.execute(db)
  },
}
