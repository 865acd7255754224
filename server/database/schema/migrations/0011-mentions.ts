// Stores the addresses of messages in texts and sources as rows, so that a message can show what mentions it.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { type Address, addressesIn } from '../../../wire/mentions.ts'

interface Source {
  url: string
  note: string
}

interface Text {
  id: bigint
  body: string
  /** JSON; null for a plain message. */
  sources: string | null
}

export const mentions: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('mentions')
      .addColumn('message_id', 'bigint', (c) => c.notNull().references('messages.id'))
      .addColumn('target_id', 'bigint', (c) => c.notNull().references('messages.id'))
      .addColumn('host', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('mentions_key', ['message_id', 'target_id', 'host'])
      .execute()
    await db.schema
      .createIndex('mentions_target')
      .on('mentions')
      .columns(['target_id', 'message_id'])
      .execute()
    for (let after = 0n; ; ) {
      const texts = await textsAfter(db, after)
      for (const text of texts) await insertMentions(db, text)
      const last = texts.at(-1)
      if (!last) return
      after = last.id
    }
  },
}

const BATCH = 500

/** Returns messages that may contain an address, ascending. */
async function textsAfter(db: Kysely<unknown>, after: bigint): Promise<Text[]> {
  const { rows } = await sql<Text>`
    select messages.id, body, sources
    from messages left join entries on entries.message_id = messages.id
    where messages.id > ${after} and (body like '%/messages/%' or sources like '%/messages/%')
    order by messages.id limit ${sql.lit(BATCH)}`.execute(db)
  return rows
}

async function insertMentions(db: Kysely<unknown>, { id, body, sources }: Text): Promise<void> {
  const declared: Source[] = JSON.parse(sources ?? '[]')
  const texts = [body, ...declared.flatMap(({ url, note }) => [url, note])]
  for (const address of addressesIn(texts)) await insertMention(db, id, address)
}

/** Ids ascend, so an earlier message has a smaller one. */
const insertMention = (db: Kysely<unknown>, id: bigint, { id: target, host }: Address) =>
  sql`insert into mentions (message_id, target_id, host)
    select cast(${id} as bigint), id, ${host} from messages
    where id = ${target} and id < ${id}`.execute(db)
