// Queries for directories and messages.
import { daySpan } from '../../archive/format/calendar.ts'
import { compiled, compiledForValues } from '../database/compiled.ts'
import { type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import { DatabaseUnavailable } from '../database/errors.ts'
import type { DirectoryRow, MessageRow } from '../database/schema/schema.ts'
import { directoryUrl } from '../wire/addresses.ts'
import { instant } from '../wire/instant.ts'
import type { PageRequest } from '../wire/page.ts'
import { noRecord, Problem } from '../wire/problem.ts'
import type { DirectoryPage, DirectoryRecord, MessageRecord } from './api.ts'

type Directory = Pick<DirectoryRow, 'path' | 'author_label'> & { created_at: bigint | number }

export const asDirectory = (row: Directory): DirectoryRecord => ({
  path: row.path,
  author_label: row.author_label,
  created_at: instant(row.created_at),
  url: directoryUrl(row.path),
})

interface Message
  extends Pick<
    MessageRow,
    'id' | 'body' | 'body_hash' | 'author_label' | 'received_at' | 'publish_at'
  > {
  directory: string | null
}

/** @throws DatabaseUnavailable when its directory is missing: none is ever deleted, so the database is damaged */
export const asMessage = (row: Message): MessageRecord => messageWithId(row.id, row)

/** As asMessage, with the id in another form. */
export function messageWithId<Id>(id: Id, row: Message): Omit<MessageRecord, 'id'> & { id: Id } {
  if (row.directory === null)
    throw new DatabaseUnavailable(`message ${row.id} has no directory: the database is damaged`)
  return {
    id,
    directory: row.directory,
    body: row.body,
    body_hash: row.body_hash,
    author_label: row.author_label,
    received_at: instant(row.received_at),
    publish_at: instant(row.publish_at),
  }
}

export const noDirectory = (path: string) =>
  noRecord(
    'directory',
    path,
    path === '' ? 'directory: must not be empty' : `directory: there is no directory ${path}`,
  )

const findDirectory = compiled((db, { path }: { path: string }) =>
  db
    .selectFrom('directories')
    .select(['id', 'path', 'author_label', 'created_at'])
    .where('path', '=', path)
    .where('visible', '=', VISIBLE),
)

/** Returns a path if there is a visible directory, else an empty text. */
export const existingPath = async (db: Queryable, path: string): Promise<string> =>
  (await findDirectory(db, { path })).length === 0 ? '' : path

/** Returns the visible directory at a path. @throws Problem directory_not_found */
export async function requireDirectory(db: Queryable, path: string) {
  const [row] = await findDirectory(db, { path })
  if (!row) throw noDirectory(path)
  return { id: row.id, record: asDirectory(row) }
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
): Promise<DirectoryPage> {
  const rows = await (parentId === undefined
    ? listAll(db, { after, limit })
    : listChildren(db, { after, limit, parentId }))
  const directories = rows.map(asDirectory)
  return { directories, next_cursor: directories.at(-1)?.path ?? after }
}

/** The most paths that a form offers; fewer are all that there are. */
export const MAX_SUGGESTIONS = 100

/** Returns the first directory paths, as suggestions for a form field. */
export async function suggestedDirectories(db: Queryable): Promise<string[]> {
  const { directories } = await listDirectories(db, { after: '', limit: MAX_SUGGESTIONS })
  return directories.map(({ path }) => path)
}

const messageQuery = (db: Queryable) =>
  db
    .selectFrom('messages')
    .leftJoin('directories', 'directories.id', 'messages.directory_id')
    .select([
      'messages.id',
      'directories.path as directory',
      'messages.body',
      'messages.body_hash',
      'messages.author_label',
      'messages.received_at',
      'messages.publish_at',
    ])

export const visibleMessages = (db: Queryable) => messageQuery(db).where(VISIBLE_MESSAGE)

const findMessage = compiled((db, { id }: { id: bigint }) =>
  visibleMessages(db).where('messages.id', '=', id),
)

/** Returns a visible message; null if there is none, or no id. */
export async function visibleMessage(
  db: Queryable,
  id: bigint | undefined,
): Promise<MessageRecord | null> {
  const [row] = id === undefined ? [] : await findMessage(db, { id })
  return row ? asMessage(row) : null
}

/** Returns a visible message. @throws Problem message_not_found */
export async function requireMessage(db: Queryable, id: bigint): Promise<MessageRecord> {
  const message = await visibleMessage(db, id)
  if (!message) throw noRecord('message', id)
  return message
}

const findMessages = compiledForValues((db, ids: readonly bigint[]) =>
  messageQuery(db).where('messages.id', 'in', ids),
)

/**
 * Returns the records of listed messages, visible or not, by id.
 * @throws DatabaseUnavailable when one is missing: messages are never deleted, so the database is damaged
 */
export async function messagesById(
  db: Queryable,
  ids: readonly bigint[],
): Promise<Map<bigint, MessageRecord>> {
  const rows = await findMessages(db, ids)
  const records = new Map(rows.map((row) => [row.id, asMessage(row)]))
  if (!ids.every((id) => records.has(id)))
    throw new DatabaseUnavailable('a listed message cannot be read: the database is damaged')
  return records
}

export const visibleIds = (db: Queryable) =>
  db.selectFrom('messages').select('id').where(VISIBLE_MESSAGE)

/** Selects the first `limit` visible ids after an id, ascending. */
export const idsAfter = (db: Queryable, { after, limit }: PageRequest<bigint>) =>
  visibleIds(db).where('id', '>', after).orderBy('id').limit(limit)

/** Selects visible messages, each with the id of the latest operator action by then. */
export const messagesOfPage = (db: Queryable) =>
  visibleMessages(db).select((eb) =>
    eb.selectFrom('sequences').select('last').where('name', '=', 'moderation').as('last_action'),
  )

const pageAfter = (db: Queryable, { after, limit }: PageRequest<bigint>) =>
  messagesOfPage(db).where('messages.id', '>', after).orderBy('messages.id').limit(limit)

export type MessageOfPage = Awaited<ReturnType<typeof pageOfAll>>[number]

const pageOfAll = compiled(pageAfter)
const pageOfDirectory = compiled((db, request: PageRequest<bigint> & { path: string }) =>
  pageAfter(db, request).where('messages.directory_id', '=', (eb) =>
    eb
      .selectFrom('directories as filter')
      .select('filter.id')
      .where('filter.path', '=', request.path),
  ),
)

/**
 * Reads visible messages after an id, ascending, from the directory at a path or from all. Each row also has the id of the
 * latest operator action by then: only these change which messages are visible.
 */
export const messagesAfter = (
  db: Queryable,
  { after, limit }: PageRequest<bigint>,
  path?: string,
): Promise<MessageOfPage[]> =>
  path === undefined ? pageOfAll(db, { after, limit }) : pageOfDirectory(db, { after, limit, path })

const newest = (db: Queryable, { limit }: { limit: number }) =>
  visibleMessages(db).orderBy('messages.id', 'desc').limit(limit)

const newestOfAll = compiled(newest)
const newestOfInvestigation = compiled((db, { id, limit }: { id: bigint; limit: number }) =>
  newest(db, { limit }).where('messages.investigation_id', '=', id),
)

/** Returns the latest visible messages, newest first: of all directories, or of one investigation, its question among them. */
export async function newestMessages(
  db: Queryable,
  limit: number,
  investigation?: bigint,
): Promise<MessageRecord[]> {
  const rows = await (investigation === undefined
    ? newestOfAll(db, { limit })
    : newestOfInvestigation(db, { id: investigation, limit }))
  return rows.map(asMessage)
}

const firstOfDirectory = compiled((db, { directoryId }: { directoryId: bigint }) =>
  visibleIds(db).where('directory_id', '=', directoryId).limit(1),
)

/**
 * Checks the directory of a filter, which must be visible and contain a visible message (API.md 4.3).
 * @throws Problem directory_not_found
 */
export async function requireMessagesIn(db: Queryable, path: string): Promise<void> {
  const { id } = await requireDirectory(db, path)
  const [message] = await firstOfDirectory(db, { directoryId: id })
  if (!message) throw new Problem('directory_not_found', `directory: ${path} contains no messages`)
}

const firstFrom = compiled((db, { at }: { at: bigint }) =>
  visibleIds(db).where('publish_at', '>=', at).orderBy('publish_at').orderBy('id').limit(1),
)

const lastBefore = compiled((db, { at }: { at: bigint }) =>
  visibleIds(db)
    .where('publish_at', '<', at)
    .orderBy('publish_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1),
)

/** Returns the id of the first visible message of a UTC day or later; undefined if there is none. */
export async function firstIdFrom(db: Queryable, day: string): Promise<bigint | undefined> {
  return (await firstFrom(db, { at: BigInt(daySpan(day).from) }))[0]?.id
}

/** Returns the id after that of the last visible message of a UTC day or earlier; 1 if there is none. */
export async function idAfter(db: Queryable, day: string): Promise<bigint> {
  return ((await lastBefore(db, { at: BigInt(daySpan(day).to) }))[0]?.id ?? 0n) + 1n
}
