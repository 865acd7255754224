// Directories and messages in the database.
import { createHash } from 'node:crypto'
import type { Transaction } from 'kysely'
import type { Times } from '../publishing/create.ts'
import { nextId, type Queryable, VISIBLE } from '../store/database.ts'
import type { DirectoryRow, MessageRow, Schema } from '../store/schema.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { Problem } from '../wire/problem.ts'
import { utf8Bytes } from '../wire/text.ts'
import type {
  DirectoryPage,
  DirectoryRecord,
  MessageCreated,
  MessagePage,
  MessageRecord,
} from './api.ts'
import { type DirectoryRequest, isPath, type MessageRequest, parentPath } from './rules.ts'

type Directory = Pick<DirectoryRow, 'path' | 'author_label' | 'created_at'>

const asDirectory = (row: Directory): DirectoryRecord => ({
  path: row.path,
  author_label: row.author_label,
  created_at: instant(row.created_at),
  url: `/d/${row.path}`,
})

type Message = Pick<
  MessageRow,
  'id' | 'body' | 'body_hash' | 'author_label' | 'received_at' | 'publish_at'
> & { directory: string }

const asMessage = (row: Message): MessageRecord => ({
  id: row.id,
  directory: row.directory,
  body: row.body,
  body_hash: row.body_hash,
  author_label: row.author_label,
  received_at: instant(row.received_at),
  publish_at: instant(row.publish_at),
})

/** The visible directory at a path, if there is one. */
export async function findDirectory(db: Queryable, path: string) {
  const row = await db
    .selectFrom('directories')
    .select(['id', 'path', 'author_label', 'created_at'])
    .where('path', '=', path)
    .where('visible', '=', VISIBLE)
    .executeTakeFirst()
  return row && { id: row.id, record: asDirectory(row) }
}

/** @throws Problem directory_not_found */
export async function requireDirectory(db: Queryable, path: string) {
  const directory = await findDirectory(db, path)
  if (!directory) throw new Problem('directory_not_found', `directory: there is no ${path}`)
  return directory
}

export interface DirectoryListing {
  page: DirectoryPage
  hasMore: boolean
}

/** A page of visible directories, in the order of their paths' bytes; of one parent, or all. */
export async function listDirectories(
  db: Queryable,
  { after, limit }: PageRequest<string>,
  parentId?: bigint,
): Promise<DirectoryListing> {
  const found = await db
    .selectFrom('directories')
    .select(['path', 'author_label', 'created_at'])
    .where('visible', '=', VISIBLE)
    .where('path', '>', after)
    .$if(parentId !== undefined, (query) => query.where('parent_id', '=', parentId as bigint))
    .orderBy('path')
    .limit(limit + 1)
    .execute()
  const { rows, hasMore } = cutPage(found, limit)
  const directories = rows.map(asDirectory)
  return { page: { directories, next_cursor: directories.at(-1)?.path ?? after }, hasMore }
}

/** @throws Problem parent_not_found, directory_exists */
export async function createDirectory(
  tx: Transaction<Schema>,
  request: DirectoryRequest,
  now: number,
): Promise<DirectoryRecord> {
  const { path, author_label } = request
  const parent = parentPath(path)
  const above = parent === undefined ? undefined : await findDirectory(tx, parent)
  if (parent !== undefined && !above)
    throw new Problem('parent_not_found', `path: there is no directory ${parent}`)
  const taken = await tx
    .selectFrom('directories')
    .select('id')
    .where('path', '=', path)
    .executeTakeFirst()
  if (taken) throw new Problem('directory_exists', `path: ${path} exists`)
  const row = { path, author_label, created_at: BigInt(now) }
  await tx
    .insertInto('directories')
    .values({
      ...row,
      id: await nextId(tx, 'directory'),
      parent_id: above?.id ?? null,
      hidden: 0,
      visible: 1,
    })
    .execute()
  return asDirectory(row)
}

/** A message to be written; questions and contributions name their investigation. */
export interface NewMessage {
  directoryId: bigint
  investigationId: bigint | null
  body: string
  authorLabel: string
  /** ms since 1970 */
  receivedAt: number
  publishAt: number
}

/** Writes a message under the next id of the one sequence. */
export async function insertMessage(tx: Transaction<Schema>, message: NewMessage) {
  const row = {
    id: await nextId(tx, 'message'),
    body: message.body,
    body_hash: createHash('sha256').update(message.body, 'utf8').digest('hex'),
    author_label: message.authorLabel,
    received_at: BigInt(message.receivedAt),
    // The clock may have been set back in between; what is published was received before.
    publish_at: BigInt(Math.max(message.publishAt, message.receivedAt)),
  }
  await tx
    .insertInto('messages')
    .values({
      ...row,
      body_bytes: utf8Bytes(message.body),
      directory_id: message.directoryId,
      investigation_id: message.investigationId,
      hidden: 0,
      visible: 1,
    })
    .execute()
  return row
}

/** @throws Problem directory_not_found */
export async function createMessage(
  tx: Transaction<Schema>,
  request: MessageRequest,
  { receivedAt, publishAt }: Times,
): Promise<MessageCreated> {
  const directory = await requireDirectory(tx, request.directory)
  const message = await insertMessage(tx, {
    directoryId: directory.id,
    investigationId: null,
    body: request.body,
    authorLabel: request.author_label,
    receivedAt,
    publishAt,
  })
  const { id, body: _, ...record } = asMessage({ ...message, directory: request.directory })
  return { message_id: id, ...record, url: `/messages/${id}`, visibility: 'public' }
}

const messageQuery = (db: Queryable) =>
  db
    .selectFrom('messages')
    .innerJoin('directories', 'directories.id', 'messages.directory_id')
    .select([
      'messages.id',
      'directories.path as directory',
      'messages.body',
      'messages.body_hash',
      'messages.author_label',
      'messages.received_at',
      'messages.publish_at',
    ])
    .where('messages.visible', '=', VISIBLE)

/** @throws Problem message_not_found when it is missing or hidden */
export async function requireMessage(db: Queryable, id: bigint): Promise<MessageRecord> {
  const row = await messageQuery(db).where('messages.id', '=', id).executeTakeFirst()
  if (!row) throw new Problem('message_not_found', `there is no message ${id}`)
  return asMessage(row)
}

/** The investigation that a message belongs to; a plain message belongs to none. */
export async function investigationOf(db: Queryable, messageId: bigint): Promise<bigint | null> {
  const row = await db
    .selectFrom('messages')
    .select('investigation_id')
    .where('id', '=', messageId)
    .executeTakeFirst()
  return row?.investigation_id ?? null
}

/** A page of visible messages, ascending; of one directory, or all. */
export async function listMessages(
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
  directoryId?: bigint,
): Promise<MessagePage & { hasMore: boolean }> {
  const found = await messageQuery(db)
    .where('messages.id', '>', after)
    .$if(directoryId !== undefined, (query) =>
      query.where('messages.directory_id', '=', directoryId as bigint),
    )
    .orderBy('messages.id')
    .limit(limit + 1)
    .execute()
  const { rows, hasMore } = cutPage(found, limit)
  const messages = rows.map(asMessage)
  return { messages, next_cursor: messages.at(-1)?.id ?? after, hasMore }
}

/** The latest visible messages of all directories, newest first. */
export async function newestMessages(db: Queryable, limit: number): Promise<MessageRecord[]> {
  const rows = await messageQuery(db).orderBy('messages.id', 'desc').limit(limit).execute()
  return rows.map(asMessage)
}

/**
 * The directory that a list of messages is filtered by: visible, with at least one visible message (API.md 4.3).
 * @throws Problem invalid_directory, directory_not_found
 */
export async function requireFilter(db: Queryable, path: string): Promise<bigint> {
  if (path !== '' && !isPath(path))
    throw new Problem('invalid_directory', 'directory: must be the path of a directory')
  const { id } = await requireDirectory(db, path)
  const message = await db
    .selectFrom('messages')
    .select('id')
    .where('directory_id', '=', id)
    .where('visible', '=', VISIBLE)
    .limit(1)
    .executeTakeFirst()
  if (!message) throw new Problem('directory_not_found', `directory: ${path} holds no messages`)
  return id
}
