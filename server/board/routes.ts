// The board over HTTP: handlers of the endpoints that api.ts declares.
import { answerJson, answerText } from '../http/answer.ts'
import { attach, type Handler } from '../http/attach.ts'
import type { Call } from '../http/call.ts'
import type { Route } from '../http/mount.ts'
import { prefersJson } from '../http/negotiate.ts'
import {
  create,
  type PublishingPlace,
  publishingPlace,
  type WriteDeps,
} from '../publishing/create.ts'
import type { PageRequest } from '../wire/page.ts'
import { Problem } from '../wire/problem.ts'
import { one, PAGE_SIZE, readAfter, readId, readLimit } from '../wire/query.ts'
import { BOARD, type DirectoryPage, type DirectoryRecord, type MessageRecord } from './api.ts'
import { directoryCreation, messageCreation } from './creations.ts'
import { MessagePages } from './message-pages.ts'
import {
  investigationOf,
  listDirectories,
  listMessages,
  requireDirectory,
  requireMessage,
} from './queries.ts'
import { type References, referencesOf } from './references.ts'
import { isPath } from './rules.ts'

/** The HTML of the board's shared paths; server/pages provides it. */
export interface BoardPages {
  directories(view: DirectoriesView): string
  directory(view: DirectoryView): string
  message(view: MessageView): string
}

export interface MessageView {
  message: MessageRecord
  /** The investigation that the message belongs to, if it does. */
  investigation_id: bigint | null
  /** Undefined when there are none, either way. */
  references: References | undefined
  /** Whether its day is sealed with a proof of it. */
  is_provable: boolean
}

/** A page of all directories. */
export interface DirectoriesView extends DirectoryPage, PublishingPlace {
  /** Whether directories follow after this page. */
  has_more: boolean
}

/** A directory with its direct children and a page of its messages. */
export interface DirectoryView extends DirectoryPage, PublishingPlace {
  directory: DirectoryRecord
  /** Whether further children follow. */
  more_directories: boolean
  messages: MessageRecord[]
  /** Where the next page of messages goes on; undefined on the last one. */
  messages_cursor: bigint | undefined
}

export interface BoardDeps extends WriteDeps {
  /** Whether a UTC day was sealed with the records of its messages. */
  hasRecords(day: string): Promise<boolean>
}

export function boardRoutes(deps: BoardDeps, pages: BoardPages): Route[] {
  const { store } = deps
  const messages = new MessagePages(store)
  return attach(BOARD, {
    createDirectory: (call) => create(deps, call, directoryCreation),
    listDirectories: async (call, { cache }) =>
      answerJson(call, (await listDirectories(store.db, directoriesAsked(call))).page, cache),
    showDirectories: async (call, { cache }) => {
      const { page, hasMore } = await listDirectories(store.db, directoriesAsked(call))
      if (prefersJson(call)) return answerJson(call, page, cache)
      const place = await publishingPlace(deps, call, store.db, 'directories')
      const text = pages.directories({ ...page, has_more: hasMore, ...place })
      return { ...answerText(call, 'html', text, cache), hasForm: place.closed === null }
    },
    showDirectory: showDirectory(deps, pages),
    createMessage: (call) => create(deps, call, messageCreation),
    listMessages: async (call, { cache }) => {
      const { query } = call
      const asked = { after: readAfter(query), limit: readLimit(query) }
      const path = one(query, 'directory', 'invalid_directory')
      const { body, etag } = await messages.page(asked, path)
      return answerText(call, 'json', body, cache, [], etag)
    },
    showMessage: showMessage(deps, pages),
    readMessage: async (call, { cache }) =>
      answerJson(call, await requireMessage(store.db, readId(call.params.id)), cache),
    readMessageText: async (call, { cache }) => {
      const { body } = await requireMessage(store.db, readId(call.params.id))
      return answerText(call, 'text', body, cache)
    },
  })
}

/** A directory and its direct children; the HTML also pages through its messages (API.md 3.4). */
const showDirectory =
  (deps: WriteDeps, pages: BoardPages): Handler =>
  (call, { cache }) => {
    const path = call.params.path ?? ''
    if (!isPath(path)) throw new Problem('invalid_directory', `${path} cannot be a directory`)
    const asked = directoriesAsked(call)
    const messagesAfter = readAfter(call.query, 'messages_after')
    return deps.store.read(async (tx) => {
      const { id, record: directory } = await requireDirectory(tx, path)
      const { page, hasMore } = await listDirectories(tx, asked, id)
      if (prefersJson(call)) return answerJson(call, { directory, ...page }, cache)
      const shown = await listMessages(tx, { after: messagesAfter, limit: PAGE_SIZE }, id)
      const view = {
        directory,
        ...page,
        more_directories: hasMore,
        messages: shown.messages,
        messages_cursor: shown.hasMore ? shown.next_cursor : undefined,
        ...(await publishingPlace(deps, call, tx, 'messages')),
      }
      const answer = answerText(call, 'html', pages.directory(view), cache)
      return { ...answer, hasForm: view.closed === null }
    })
  }

/** A message as HTML, which names its investigation and what refers to it, or as JSON. */
const showMessage =
  ({ store, hasRecords }: BoardDeps, pages: BoardPages): Handler =>
  async (call, { cache }) => {
    const id = readId(call.params.id)
    if (prefersJson(call)) return answerJson(call, await requireMessage(store.db, id), cache)
    const view = await store.read(async (tx) => ({
      message: await requireMessage(tx, id),
      investigation_id: await investigationOf(tx, id),
      references: (await referencesOf(tx, [id])).get(id),
    }))
    const is_provable = await hasRecords(view.message.publish_at.slice(0, 10))
    return answerText(call, 'html', pages.message({ ...view, is_provable }), cache)
  }

/** `?after=` of a list of directories is the path of the last one seen, or nothing. */
function directoriesAsked({ query }: Call): PageRequest<string> {
  const after = one(query, 'after', 'invalid_cursor') ?? ''
  if (after !== '' && !isPath(after))
    throw new Problem('invalid_cursor', 'after: must be the path of a directory')
  return { after, limit: readLimit(query) }
}
