// Reads the content of the board's HTML pages.
import type { Database, Queryable } from '../database/database.ts'
import type { PublishingContext } from '../publishing/create.ts'
import { answersOf, NO_THREAD, type ThreadRequest, threadOf } from './answers.ts'
import { requireInContext } from './around-message.ts'
import { type MessagePageRequest, messagesIn } from './directory-pages.ts'
import type { Branch, ChildPage, TreePage } from './directory-tree.ts'
import { mentionsOf, NO_MENTIONS } from './mentions.ts'
import { requireDirectory } from './queries.ts'
import { type Excerpt, referencesOf } from './references.ts'

/** Renders the HTML of the board's shared paths; server/pages implements it. */
export interface BoardPages<Entry> {
  directories(view: DirectoriesView): string
  directory(view: DirectoryView): string
  message(view: MessageView<Entry>): string
}

/** What a table of directories states of their messages. */
export interface DirectoryCounts {
  /** False while the counts are incomplete. */
  isCounted: boolean
  /** The newest messages of the directories, by id. */
  excerpts: Map<bigint, Excerpt>
  /** Wall time [ms since 1970]. */
  now: number
}

export interface DirectoriesView extends TreePage, DirectoryCounts, PublishingContext {}

export interface DirectoryView
  extends Awaited<ReturnType<typeof directoryView>>,
    ChildPage,
    DirectoryCounts,
    PublishingContext {
  /** The counts of the directory; undefined until they are read for a new one. */
  branch: Branch | undefined
}

/** @template Entry a message as an entry of its investigation */
export interface MessageView<Entry> extends Awaited<ReturnType<typeof messageView<Entry>>> {
  /** True while no message can be published. */
  isClosed: boolean
  /** The address of the service in commands that can be pasted into a shell; no trailing slash. */
  baseUrl: string
  /** Below are only answers with a greater id; 0 for all. */
  after: bigint
  /** When the day of the message becomes sound, as in `at 00:05 UTC`; null once that day is over. */
  sound_time: string | null
}

export interface ViewDeps<Entry> {
  database: Database
  isSealed(day: string): Promise<boolean>
  /** Returns the address of a message's receipt; null while messages have none. */
  receiptOf(messageId: bigint): string | null
  /** Returns a question or contribution with its investigation; null for a plain message. */
  entryOf(db: Queryable, messageId: bigint): Promise<Entry | null>
}

/** Messages on an HTML page: few enough that a page of long ones still loads quickly. */
const MESSAGES_SHOWN = 25

/** Default number of children on the HTML page of a directory. */
export const CHILDREN_SHOWN = 15

/**
 * @param host from hostOf
 * @throws Problem directory_not_found
 */
export async function directoryView(
  tx: Queryable,
  path: string,
  messagesRequest: MessagePageRequest,
  host: string,
) {
  const { id, record: directory } = await requireDirectory(tx, path)
  const { messages, hasMore } = await messagesIn(tx, id, messagesRequest, MESSAGES_SHOWN)
  const ids = messages.map((message) => message.id)
  return {
    directory,
    order: messagesRequest.order,
    /** Whether the page is the one with the newest messages. */
    is_newest: messagesRequest.order === 'newest first' && messagesRequest.before === undefined,
    messages,
    /** The cursor of the next page in the same order; undefined on the last page. */
    messages_cursor: hasMore ? ids.at(-1) : undefined,
    answers: await answersOf(tx, ids, host),
  }
}

/** @throws Problem message_not_found */
export async function messageView<Entry>(
  { database, isSealed, receiptOf, entryOf }: ViewDeps<Entry>,
  request: ThreadRequest,
) {
  const { db } = database
  const { id } = request
  const { message, neighbours, isEntry, isLinked, isMentioned, isInThread } =
    await requireInContext(db, request)
  return {
    message,
    neighbours,
    /** Null for a plain message. */
    entry: isEntry ? await entryOf(db, id) : null,
    references: isLinked ? (await referencesOf(db, [id])).get(id) : undefined,
    mentions: isMentioned ? await mentionsOf(db, request) : NO_MENTIONS,
    thread: isInThread || isEntry ? await threadOf(db, request) : NO_THREAD,
    /** The address of its receipt; null if it has none. */
    receipt: receiptOf(id),
    is_sealed: await isSealed(message.publish_at.slice(0, 10)),
  }
}
