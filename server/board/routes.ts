// The board over HTTP: directories and messages (specification, Endpoints; decisions.md 3 and 4).
import { type Answer, answerJson, answerText } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import { type Creation, create, type WriteDeps } from '../publishing/create.ts'
import { DIRECTORY_LIMITS, MESSAGE_LIMITS } from '../publishing/limits.ts'
import type { Queryable, Store } from '../store/database.ts'
import { Problem } from '../wire/problem.ts'
import { one, readAfter, readId, readLimit } from '../wire/query.ts'
import { readShape } from '../wire/shape.ts'
import {
  createDirectory,
  createMessage,
  type DirectoryRecord,
  hasMessages,
  investigationOf,
  listDirectories,
  listMessages,
  type MessageRecord,
  requireDirectory,
  requireMessage,
} from './queries.ts'
import {
  type DirectoryRequest,
  directoryRequest,
  isPath,
  type MessageRequest,
  messageRequest,
} from './rules.ts'

/** The HTML of the board's shared paths; server/pages provides it. */
export interface BoardPages {
  /** @param more whether directories follow after this page */
  directories(page: DirectoryPage, more: boolean): string
  directory(view: DirectoryView): string
  /** @param investigationId the investigation that the message belongs to, if it does */
  message(message: MessageRecord, investigationId: bigint | null): string
}

export interface DirectoryPage {
  directories: DirectoryRecord[]
  next_cursor: string
}

/** Messages on a directory's HTML page. */
const MESSAGES_SHOWN = 50

/** A directory with its direct children and a page of its messages. */
export interface DirectoryView extends DirectoryPage {
  directory: DirectoryRecord
  /** Whether further children follow. */
  more_directories: boolean
  messages: MessageRecord[]
  /** Where the next page of messages goes on; undefined on the last one. */
  messages_cursor: bigint | undefined
}

export function boardRoutes(deps: WriteDeps, pages: BoardPages): Route[] {
  const { store } = deps
  return [
    {
      method: 'POST',
      path: '/api/v1/directories',
      representation: 'data',
      operation: 'createDirectory',
      handle: (call) => create(deps, call, directoryCreation(deps)),
    },
    {
      method: 'GET',
      path: '/api/v1/directories',
      representation: 'data',
      operation: 'listDirectories',
      handle: async (call) => answerJson(call, (await directoryPage(store.db, call.query)).page),
    },
    {
      method: 'GET',
      path: '/directories',
      representation: 'negotiated',
      operation: 'showDirectories',
      handle: async (call) => {
        const { page, more } = await directoryPage(store.db, call.query)
        return prefersJson(call)
          ? answerJson(call, page)
          : answerText(call, 'html', pages.directories(page, more))
      },
    },
    {
      method: 'GET',
      path: '/d/**:path',
      representation: 'negotiated',
      operation: 'showDirectory',
      handle: (call) => showDirectory(store, call, pages),
    },
    {
      method: 'POST',
      path: '/api/v1/messages',
      representation: 'data',
      operation: 'createMessage',
      handle: (call) => create(deps, call, messageCreation(deps)),
    },
    {
      method: 'GET',
      path: '/api/v1/messages',
      representation: 'data',
      operation: 'listMessages',
      handle: async (call) => answerJson(call, await messagePage(store, call.query)),
    },
    ...singleMessageRoutes(store, pages),
  ]
}

/** A message as HTML (or JSON by negotiation), as JSON, and as its body's bytes. */
function singleMessageRoutes(store: Store, pages: BoardPages): Route[] {
  const load = ({ params }: Call) => requireMessage(store.db, readId(params.id))
  return [
    {
      method: 'GET',
      path: '/messages/:id',
      representation: 'negotiated',
      operation: 'showMessage',
      handle: async (call) => {
        if (prefersJson(call)) return answerJson(call, await load(call))
        const page = await store.read(async (tx) => {
          const message = await requireMessage(tx, readId(call.params.id))
          return pages.message(message, await investigationOf(tx, message.id))
        })
        return answerText(call, 'html', page)
      },
    },
    {
      method: 'GET',
      path: '/messages/:id.json',
      representation: 'data',
      operation: 'readMessage',
      handle: async (call) => answerJson(call, await load(call)),
    },
    {
      method: 'GET',
      path: '/messages/:id.txt',
      representation: 'data',
      operation: 'readMessageText',
      handle: async (call) => answerText(call, 'text', (await load(call)).body),
    },
  ]
}

const directoryCreation = (deps: WriteDeps): Creation<DirectoryRequest> => ({
  operation: 'directory',
  feature: 'directories',
  limits: DIRECTORY_LIMITS,
  read: (json) => readShape(directoryRequest, json),
  publish: async (tx, input) => {
    const record = await createDirectory(tx, input, deps.now())
    return { record, location: record.url }
  },
})

const messageCreation = (deps: WriteDeps): Creation<MessageRequest> => ({
  operation: 'message',
  feature: 'messages',
  limits: MESSAGE_LIMITS,
  read: (json) => readShape(messageRequest, json),
  publish: async (tx, input, receivedAt) => {
    const { id, body: _, ...message } = await createMessage(tx, input, receivedAt, deps.now())
    const url = `/messages/${id}`
    return {
      record: { message_id: id, ...message, url, visibility: 'public' },
      location: url,
    }
  },
})

async function directoryPage(
  db: Queryable,
  query: URLSearchParams,
  parentId?: bigint,
): Promise<{ page: DirectoryPage; more: boolean }> {
  const after = readPathCursor(query)
  const limit = readLimit(query)
  const found = await listDirectories(db, after, limit + 1, parentId)
  const directories = found.slice(0, limit)
  const next_cursor = directories.at(-1)?.path ?? after
  return { page: { directories, next_cursor }, more: found.length > limit }
}

/** A directory and its direct children; the HTML also pages through its messages (3.4). */
async function showDirectory(store: Store, call: Call, pages: BoardPages): Promise<Answer> {
  const { query } = call
  const path = call.params.path ?? ''
  if (!isPath(path)) throw new Problem('invalid_directory', `${path} cannot be a directory`)
  const messagesAfter = readAfter(query, 'messages_after')
  return store.read(async (tx) => {
    const { id, record: directory } = await requireDirectory(tx, path)
    const { page: children, more } = await directoryPage(tx, query, id)
    if (prefersJson(call)) return answerJson(call, { directory, ...children })
    const messages = await listMessages(tx, messagesAfter, MESSAGES_SHOWN + 1, id)
    const shown = messages.slice(0, MESSAGES_SHOWN)
    const messages_cursor = messages.length > shown.length ? shown.at(-1)?.id : undefined
    const view = { directory, ...children, more_directories: more, messages: shown }
    return answerText(call, 'html', pages.directory({ ...view, messages_cursor }))
  })
}

/** `?after=` on directory lists: the path of the last directory seen, or nothing. */
function readPathCursor(query: URLSearchParams): string {
  const after = one(query, 'after', 'invalid_cursor') ?? ''
  if (after !== '' && !isPath(after))
    throw new Problem('invalid_cursor', 'after: must be the path of a directory')
  return after
}

async function messagePage(store: Store, query: URLSearchParams) {
  const after = readAfter(query)
  const limit = readLimit(query)
  const path = one(query, 'directory', 'invalid_directory')
  return store.read(async (tx) => {
    const directoryId = path === undefined ? undefined : await readable(tx, path)
    const messages = await listMessages(tx, after, limit, directoryId)
    return { messages, next_cursor: messages.at(-1)?.id ?? after }
  })
}

/** The `directory` filter names a visible directory with at least one visible message (4.3). */
async function readable(db: Queryable, path: string): Promise<bigint> {
  if (path !== '' && !isPath(path))
    throw new Problem('invalid_directory', 'directory: must be the path of a directory')
  const { id } = await requireDirectory(db, path)
  if (!(await hasMessages(db, id)))
    throw new Problem('directory_not_found', `directory: ${path} holds no messages`)
  return id
}
