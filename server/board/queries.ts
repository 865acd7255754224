// Directories and messages in the database.
import { type Queryable, VISIBLE } from '../store/database.ts'
import type { DirectoryRow, MessageRow } from '../store/schema.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { Problem } from '../wire/problem.ts'
import type { DirectoryPage, DirectoryRecord, MessagePage, MessageRecord } from './api.ts'
import { isPath } from './rules.ts'

type Directory = Pick<DirectoryRow, 'path' | 'author_label'> & { created_at: bigint | number }

export const asDirectory = (row: Directory): DirectoryRecord => ({
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

export const noDirectory = (path: string) =>
  new Problem('directory_not_found', `directory: there is no ${path}`)

/** The visible directory at a path. @throws Problem directory_not_found */
export async function requireDirectory(db: Queryable, path: string) {
  const row = await db
    .selectFrom('directories')
    .select(['id', 'path', 'author_label', 'created_at'])
    .where('path', '=', path)
    .where('visible', '=', VISIBLE)
    .executeTakeFirst()
  if (!row) throw noDirectory(path)
  return { id: row.id, record: asDirectory(row) }
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
