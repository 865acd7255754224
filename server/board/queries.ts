// Queries for directories and messages.
import { compiled, compiledForEach } from '../store/compiled.ts'
import { type Queryable, StoreUnavailable, VISIBLE, VISIBLE_MESSAGE } from '../store/database.ts'
import type { DirectoryRow, MessageRow } from '../store/schema.ts'
import { directoryUrl } from '../wire/addresses.ts'
import { instant } from '../wire/instant.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { Problem } from '../wire/problem.ts'
import type { DirectoryPage, DirectoryRecord, MessagePage, MessageRecord } from './api.ts'
import { requirePath } from './rules.ts'

type Directory = Pick<DirectoryRow, 'path' | 'author_label'> & { created_at: bigint | number }

export const asDirectory = (row: Directory): DirectoryRecord => ({
  path: row.path,
  author_label: row.author_label,
  created_at: instant(row.created_at),
  url: directoryUrl(row.path),
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
  new Problem(
    'directory_not_found',
    path === '' ? 'directory: must not be empty' : `directory: there is no directory ${path}`,
  )

const findDirectory = compiled((db, { path }: { path: string }) =>
  db
    .selectFrom('directories')
    .select(['id', 'path', 'author_label', 'created_at'])
    .where('path', '=', path)
    .where('visible', '=', VISIBLE),
)

/** Returns the visible directory at a path. @throws Problem directory_not_found */
export async function requireDirectory(db: Queryable, path: string) {
  const [row] = await findDirectory(db, { path })
  if (!row) throw noDirectory(path)
  return { id: row.id, record: asDirectory(row) }
}

export interface DirectoryListing {
  page: DirectoryPage
  hasMore: boolean
}

const directoriesAfter = (db: Queryable, { after, limit }: PageRequest<string>) =>
  db
    .selectFrom('directories')
    .select(['path', 'author_label', 'created_at'])
    .where('visible', '=', VISIBLE)
    .where('path', '>', after)
    .orderBy('path')
    .limit(limit)

const listAll = compiled(directoriesAfter)
const listChildren = compiled((db, request: PageRequest<string> & { parentId: bigint }) =>
  directoriesAfter(db, request).where('parent_id', '=', request.parentId),
)

/** Returns a page of visible directories in byte order of their paths: the children of one parent, or all. */
export async function listDirectories(
  db: Queryable,
  { after, limit }: PageRequest<string>,
  parentId?: bigint,
): Promise<DirectoryListing> {
  const request = { after, limit: limit + 1 }
  const found = await (parentId === undefined
    ? listAll(db, request)
    : listChildren(db, { ...request, parentId }))
  const { rows, hasMore } = cutPage(found, limit)
  const directories = rows.map(asDirectory)
  return { page: { directories, next_cursor: directories.at(-1)?.path ?? after }, hasMore }
}

const MAX_SUGGESTIONS = 100

/** Returns the first directory paths, as suggestions for a form field. */
export async function suggestedDirectories(db: Queryable): Promise<string[]> {
  const { page } = await listDirectories(db, { after: '', limit: MAX_SUGGESTIONS })
  return page.directories.map(({ path }) => path)
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

const visibleMessages = (db: Queryable) => messageQuery(db).where(VISIBLE_MESSAGE)

const findMessage = compiled((db, { id }: { id: bigint }) =>
  visibleMessages(db).where('messages.id', '=', id),
)

/** Returns a visible message. @throws Problem message_not_found */
export async function requireMessage(db: Queryable, id: bigint): Promise<MessageRecord> {
  const [row] = await findMessage(db, { id })
  if (!row) throw new Problem('message_not_found', `there is no message ${id}`)
  return asMessage(row)
}

const findMessages = compiledForEach((db, items: readonly { id: bigint }[]) =>
  messageQuery(db).where(
    'messages.id',
    'in',
    items.map(({ id }) => id),
  ),
)

/**
 * Returns the records of listed messages, visible or not, in no particular order.
 * @throws StoreUnavailable when one is missing: messages are never deleted, so the database is damaged
 */
export async function recordsOf(db: Queryable, ids: readonly bigint[]): Promise<MessageRecord[]> {
  const rows = await findMessages(
    db,
    ids.map((id) => ({ id })),
  )
  if (rows.length !== ids.length)
    throw new StoreUnavailable('a listed message cannot be read: the database is damaged')
  return rows.map(asMessage)
}

/** Selects the ids of visible messages. */
export const visibleIds = (db: Queryable) =>
  db.selectFrom('messages').select('id').where(VISIBLE_MESSAGE)

/** Selects the first `limit` visible ids after an id, ascending. */
export const idsAfter = (db: Queryable, { after, limit }: PageRequest<bigint>) =>
  visibleIds(db).where('id', '>', after).orderBy('id').limit(limit)

const listIds = compiled(idsAfter)
const listIdsOfDirectory = compiled((db, request: PageRequest<bigint> & { directoryId: bigint }) =>
  idsAfter(db, request).where('directory_id', '=', request.directoryId),
)

/** Returns the ids of visible messages after an id, ascending, from one directory or all. */
export async function listMessageIds(
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
  directoryId?: bigint,
): Promise<bigint[]> {
  const rows = await (directoryId === undefined
    ? listIds(db, { after, limit })
    : listIdsOfDirectory(db, { after, limit, directoryId }))
  return rows.map(({ id }) => id)
}

/** Returns a page of visible messages, ascending, from one directory or all. */
export async function listMessages(
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
  directoryId?: bigint,
): Promise<MessagePage & { hasMore: boolean }> {
  const found = await listMessageIds(db, { after, limit: limit + 1 }, directoryId)
  const { rows: ids, hasMore } = cutPage(found, limit)
  const records = await recordsOf(db, ids)
  const messages = records.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { messages, next_cursor: ids.at(-1) ?? after, hasMore }
}

const findNewest = compiled((db, { limit }: { limit: number }) =>
  visibleMessages(db).orderBy('messages.id', 'desc').limit(limit),
)

/** Returns the latest visible messages of all directories, newest first. */
export async function newestMessages(db: Queryable, limit: number): Promise<MessageRecord[]> {
  return (await findNewest(db, { limit })).map(asMessage)
}

const firstOfDirectory = compiled((db, { directoryId }: { directoryId: bigint }) =>
  visibleIds(db).where('directory_id', '=', directoryId).limit(1),
)

/**
 * Returns the id of a filter's directory, which must be visible and contain a visible message (API.md 4.3).
 * @throws Problem invalid_directory, directory_not_found
 */
export async function requireFilter(db: Queryable, path: string): Promise<bigint> {
  if (path !== '') requirePath(path, 'directory')
  const { id } = await requireDirectory(db, path)
  const [message] = await firstOfDirectory(db, { directoryId: id })
  if (!message) throw new Problem('directory_not_found', `directory: ${path} contains no messages`)
  return id
}
