// What the pages of the board show: read from the database, in one moment.
import type { PublishingPlace } from '../publishing/place.ts'
import type { Queryable, Store } from '../store/database.ts'
import type { PageRequest } from '../wire/page.ts'
import type { DirectoryPage, DirectoryRecord, MessageRecord } from './api.ts'
import type { Branch, TreePage } from './directory-tree.ts'
import { messagesBefore, type Neighbours, neighboursOf } from './neighbours.ts'
import { listDirectories, listMessages, requireDirectory, requireMessage } from './queries.ts'
import { type References, referencesOf } from './references.ts'

/** The HTML of the board's shared paths; server/pages provides it. */
export interface BoardPages<Entry> {
  directories(view: DirectoriesView): string
  directory(view: DirectoryView): string
  message(view: MessageView<Entry>): string
}

/** Trees of directories, with how much is written in them. */
export interface DirectoriesView extends TreePage, PublishingPlace {
  /** Whether all messages are counted. */
  isCounted: boolean
  /** Wall time [ms since 1970]. */
  now: number
}

/** Where a page of messages begins: above or below a message id, exclusive. */
export type MessagesAsked =
  | { order: 'oldest first'; after: bigint }
  | { order: 'newest first'; before: bigint | undefined }

/** A directory with its direct children and a page of its messages. */
export interface DirectoryContent extends DirectoryPage {
  directory: DirectoryRecord
  /** Whether further children follow. */
  more_directories: boolean
  order: MessagesAsked['order']
  /** In that order. */
  messages: MessageRecord[]
  /** Where the next page of messages goes on, in the same order; undefined on the last one. */
  messages_cursor: bigint | undefined
  /** Of the messages on the page, those that have any. */
  references: Map<bigint, References>
}

export interface DirectoryView extends DirectoryContent, PublishingPlace {
  /** Whether all messages are counted. */
  isCounted: boolean
  /** What is counted of a child, by its path. */
  branchOf(path: string): Branch | undefined
  /** Wall time [ms since 1970]. */
  now: number
}

/** @template Entry a message as a part of its investigation */
export interface MessageView<Entry> extends MessageContent<Entry> {
  /** Whether no message can be published now. */
  isClosed: boolean
  /** Where the service is, for a line to paste into a shell; no trailing slash. */
  base_url: string
}

interface MessageContent<Entry> {
  message: MessageRecord
  /** Null for a plain message. */
  entry: Entry | null
  neighbours: Neighbours
  /** Undefined when there are none, either way. */
  references: References | undefined
  /** Whether its day is sealed with a proof of it. */
  is_provable: boolean
}

export interface ViewDeps<Entry> {
  store: Store
  /** Whether a UTC day was sealed with the records of its messages. */
  hasRecords(day: string): Promise<boolean>
  /** The question or contribution that a message is, with its investigation; null for a plain message. */
  entryOf(db: Queryable, messageId: bigint): Promise<Entry | null>
}

/** Messages on a page for people: a page of long ones still loads at once. */
const MESSAGES_SHOWN = 25

/** Directories below one, on its page for people. */
export const CHILDREN_SHOWN = 15

/** @throws Problem directory_not_found */
export async function directoryView(
  tx: Queryable,
  path: string,
  asked: PageRequest<string>,
  messagesAsked: MessagesAsked,
): Promise<DirectoryContent> {
  const { id, record: directory } = await requireDirectory(tx, path)
  const { page, hasMore: more_directories } = await listDirectories(tx, asked, id)
  const limit = MESSAGES_SHOWN
  const { order } = messagesAsked
  const { messages, hasMore } =
    order === 'oldest first'
      ? await listMessages(tx, { after: messagesAsked.after, limit }, id)
      : await messagesBefore(tx, { before: messagesAsked.before, limit }, id)
  const ids = messages.map((message) => message.id)
  return {
    directory,
    ...page,
    more_directories,
    order,
    messages,
    messages_cursor: hasMore ? ids.at(-1) : undefined,
    references: ids.length === 0 ? new Map() : await referencesOf(tx, ids),
  }
}

/** @throws Problem message_not_found */
export async function messageView<Entry>(
  { store, hasRecords, entryOf }: ViewDeps<Entry>,
  id: bigint,
): Promise<MessageContent<Entry>> {
  const content = await store.read(async (tx) => ({
    message: await requireMessage(tx, id),
    entry: await entryOf(tx, id),
    neighbours: await neighboursOf(tx, id),
    references: (await referencesOf(tx, [id])).get(id),
  }))
  return { ...content, is_provable: await hasRecords(content.message.publish_at.slice(0, 10)) }
}
