// Handles the endpoints of directories and messages that api.ts declares.
import { isDay } from '../../archive/format/calendar.ts'
import type { Queryable } from '../database/database.ts'
import { answerJson, answerTaggedText, answerText } from '../http/answer.ts'
import { baseUrlOf, type Call, prefersJson } from '../http/call.ts'
import type { KeptPages } from '../http/kept-pages.ts'
import { attach, type Handler, type Route } from '../http/mount.ts'
import { create, publishingContext, type WriteDeps } from '../publishing/create.ts'
import { hostOf } from '../wire/mentions.ts'
import type { PageRequest } from '../wire/page.ts'
import { orNearest, Problem } from '../wire/problem.ts'
import { one, readAfter, readBefore, readId, readLimit } from '../wire/query.ts'
import { dayNumber } from './activity.ts'
import { BOARD } from './api.ts'
import { nearestMessages } from './around-message.ts'
import { directoryCreation, messageCreation } from './creations.ts'
import { type MessagePageRequest, nearestDirectories } from './directory-pages.ts'
import {
  childPage,
  type DirectoryTree,
  quotedOf,
  type TreeRow,
  treePage,
} from './directory-tree.ts'
import type { IncrementalCounts } from './incremental-counts.ts'
import { messagePage } from './message-pages.ts'
import { idAfter, listDirectories, requireDirectory, requireMessage } from './queries.ts'
import { type Excerpt, excerptsOf } from './references.ts'
import { requirePath } from './rules.ts'
import {
  type BoardPages,
  CHILDREN_SHOWN,
  type DirectoryView,
  directoryView,
  type MessageView,
  messageView,
  type ViewDeps,
} from './views.ts'

export interface BoardDeps<Entry> extends WriteDeps, ViewDeps<Entry> {
  directories: IncrementalCounts<DirectoryTree>
  kept: KeptPages
}

export function boardRoutes<Entry>(deps: BoardDeps<Entry>, pages: BoardPages<Entry>): Route[] {
  const { database, directories } = deps
  const readMessage: Handler = async (call, { cache }) =>
    answerJson(call, await requireMessage(database.db, readId(call.params.id)), cache)
  const listInOrder: Handler = async (call, { cache }) =>
    answerJson(call, await listDirectories(database.db, readDirectoryPageRequest(call)), cache)
  return attach(BOARD, {
    createDirectory: (call) => create(deps, call, directoryCreation),
    listDirectories: listInOrder,
    showDirectories: async (call, route) => {
      if (prefersJson(call)) return listInOrder(call, route)
      const request = readDirectoryPageRequest(call)
      return deps.kept.answer(call, route.cache, async () => {
        const context = await publishingContext(deps, call, 'directories')
        const { counts, isComplete: isCounted } = await directories.currentOrPartial()
        const page = treePage(counts, request)
        const excerpts = await newestIn(database.db, page.rows)
        const now = deps.clock.now()
        const text = pages.directories({ ...page, isCounted, excerpts, now, ...context })
        return { kind: 'html', text, mayConnect: context.closed === null }
      })
    },
    showDirectory: showDirectory(deps, pages),
    createMessage: (call) => create(deps, call, messageCreation),
    listMessages: async (call, { cache }) => {
      const { query } = call
      const request = { after: readAfter(query), limit: readLimit(query) }
      const path = one(query, 'directory', 'invalid_directory')
      const { body, etag } = await messagePage(database.db, request, path)
      return answerTaggedText(call, 'json', body, cache, etag)
    },
    showMessage: async (call, route) => {
      if (prefersJson(call)) return readMessage(call, route)
      const view = await readMessageView(deps, call, readId(call.params.id))
      const answer = await answerText(call, 'html', pages.message(view), route.cache)
      return { ...answer, mayConnect: view.receipt !== null }
    },
    readMessage,
    readMessageText: async (call, { cache }) => {
      const { body } = await requireMessage(database.db, readId(call.params.id))
      return answerText(call, 'text', body, cache)
    },
  })
}

/** Returns a directory and its direct children; the HTML also has a page of its messages (API.md 3.4). */
const showDirectory =
  <Entry>(deps: BoardDeps<Entry>, pages: BoardPages<Entry>): Handler =>
  async (call, { cache }) => {
    const path = call.params.path ?? ''
    requirePath(path, 'path')
    if (!prefersJson(call))
      return deps.kept.answer(call, cache, async () => {
        const view = await readDirectoryView(deps, call, path)
        return { kind: 'html', text: pages.directory(view), mayConnect: true }
      })
    const request = readDirectoryPageRequest(call)
    return deps.database.read(async (tx) => {
      const { id, record: directory } = await requireDirectory(tx, path)
      return answerJson(call, { directory, ...(await listDirectories(tx, request, id)) }, cache)
    })
  }

async function readDirectoryView<Entry>(
  deps: BoardDeps<Entry>,
  call: Call,
  path: string,
): Promise<DirectoryView> {
  const messagesRequest = await readMessagePageRequest(call, deps.database.db)
  const childrenRequest = readDirectoryPageRequest(call, CHILDREN_SHOWN)
  const { counts: tree, isComplete: isCounted } = await deps.directories.currentOrPartial()
  const context = await publishingContext(deps, call, 'messages')
  const read = deps.database.read((tx) =>
    directoryView(tx, path, messagesRequest, hostOf(baseUrlOf(call, deps.baseUrl))),
  )
  const content = await orNearest(read, async () => nearestDirectories(tree, path))
  const page = childPage(tree.at(path), childrenRequest)
  const excerpts = await newestIn(deps.database.db, page.children)
  const branch = isCounted ? tree.at(path) : undefined
  return { ...content, ...page, ...context, branch, excerpts, isCounted, now: deps.clock.now() }
}

async function readMessageView<Entry>(
  deps: BoardDeps<Entry>,
  call: Call,
  id: bigint,
): Promise<MessageView<Entry>> {
  const baseUrl = baseUrlOf(call, deps.baseUrl)
  const after = readAfter(call.query)
  const request = { id, host: hostOf(baseUrl), after }
  const content = await orNearest(messageView(deps, request), () =>
    nearestMessages(deps.database.db, id),
  )
  const publishedAt = Date.parse(content.message.publish_at)
  const isToday = dayNumber(publishedAt) === dayNumber(deps.clock.now())
  const sound_time = isToday ? deps.soundTime() : null
  return { ...content, baseUrl, sound_time, after, isClosed: await deps.modes.isClosed() }
}

/** Returns the messages that the directories of a table are quoted with, by id. */
function newestIn(db: Queryable, rows: readonly TreeRow[]): Promise<Map<bigint, Excerpt>> {
  const quoted = rows.map(({ branch }) => quotedOf(branch)).filter((id) => id > 0n)
  return excerptsOf(db, quoted)
}

/** `?messages_after=` pages from the oldest, `?messages_before=` and `?on=` from the newest, which come first by default. */
async function readMessagePageRequest({ query }: Call, db: Queryable): Promise<MessagePageRequest> {
  const day = one(query, 'on', 'invalid_day')
  if (day !== undefined) {
    if (!isDay(day)) throw new Problem('invalid_day', 'on: must be a date YYYY-MM-DD')
    if (query.has('messages_before') || query.has('messages_after'))
      throw new Problem('invalid_cursor', 'on: must not be combined with a cursor of messages')
    return { order: 'newest first', before: await idAfter(db, day) }
  }
  const before = readBefore(query, 'messages_before')
  if (!query.has('messages_after')) return { order: 'newest first', before }
  if (before !== undefined)
    throw new Problem('invalid_cursor', 'messages_after: must not be combined with messages_before')
  return { order: 'oldest first', after: readAfter(query, 'messages_after') }
}

/** `?after=` of a list of directories is the path of the last one seen, or empty. */
function readDirectoryPageRequest({ query }: Call, defaultLimit?: number): PageRequest<string> {
  const after = one(query, 'after', 'invalid_cursor') ?? ''
  if (after !== '') requirePath(after, 'after', 'invalid_cursor')
  return { after, limit: readLimit(query, defaultLimit) }
}
