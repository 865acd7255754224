// Keeps the leaf of each erased message, and removes what earlier versions left of it: author label, title, sources,
// links, the hash of its text, and the response kept for its Idempotency-Key.
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { messageLeaf } from '../../../../archive/log/records.ts'
import { investigationUrl, messageUrl } from '../../../wire/addresses.ts'

/** A message without a text, whose erasure is in the log of actions. */
interface Erased {
  id: bigint
  path: string
  body_hash: string
  received_at: bigint
  publish_at: bigint
  author_label: string
  /** Null for a plain message. */
  investigation_id: bigint | null
  kind: string | null
  sources: string | null
  links: string | null
  /** Null unless this is a question. */
  title: string | null
}

export const erasures: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('erasures')
      .addColumn('message_id', 'bigint', (c) => c.primaryKey().references('messages.id'))
      .addColumn('leaf', 'text', (c) => c.notNull())
      .execute()
    for (const message of await readErased(db)) {
      const leaf = Buffer.from(leafOf(message)).toString('hex')
      await sql`insert into erasures (message_id, leaf) values (${message.id}, ${leaf})`.execute(db)
      await removeContent(db, message)
    }
  },
}

async function readErased(db: Kysely<unknown>): Promise<Erased[]> {
  const { rows } = await sql<Erased>`
    select messages.id, directories.path, body_hash, received_at, publish_at, messages.author_label,
      entries.investigation_id, kind, sources, links, title
    from messages
      join directories on directories.id = messages.directory_id
      left join entries on entries.message_id = messages.id
      left join investigations on root_message_id = messages.id
    where body = '' and cast(messages.id as text) in (
      select target from moderation_log where act = 'erase' and target_kind = 'message')`.execute(
    db,
  )
  return rows
}

function leafOf({
  investigation_id: investigationId,
  kind,
  title,
  sources,
  links,
  ...row
}: Erased) {
  const isEntry = investigationId !== null && kind !== null && sources !== null && links !== null
  return messageLeaf({
    id: row.id,
    directory: row.path,
    bodyHash: row.body_hash,
    receivedAt: new Date(Number(row.received_at)).toISOString(),
    publishAt: new Date(Number(row.publish_at)).toISOString(),
    authorLabel: row.author_label,
    entry: isEntry ? { investigationId, kind, title, sources, links } : null,
    salt: null,
  })
}

async function removeContent(
  db: Kysely<unknown>,
  { id, investigation_id: investigation, title }: Erased,
): Promise<void> {
  await sql`update messages set body_hash = '', body_bytes = 0, author_label = '' where id = ${id}`.execute(
    db,
  )
  await sql`update entries set sources = '[]', source_count = 0, links = '[]'
    where message_id = ${id}`.execute(db)
  await sql`delete from links where message_id = ${id}`.execute(db)
  await sql`update investigations set title = '' where root_message_id = ${id}`.execute(db)
  const isQuestion = title !== null && investigation !== null
  const location = isQuestion ? investigationUrl(investigation) : messageUrl(id)
  await sql`update idempotency_keys set request_hash = '', answer = ''
    where location = ${location}`.execute(db)
}
