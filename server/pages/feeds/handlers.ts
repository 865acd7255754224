// Handles the endpoints of the feeds of messages, and of the sitemap.
import { answersOf } from '../../board/answers.ts'
import type { MessageRecord } from '../../board/api.ts'
import { messagesIn } from '../../board/directory-pages.ts'
import { newestMessages, requireDirectory } from '../../board/queries.ts'
import { requirePath } from '../../board/rules.ts'
import type { Database } from '../../database/database.ts'
import { answerTaggedText } from '../../http/answer.ts'
import { baseUrlOf, type Call } from '../../http/call.ts'
import type { KeptPages } from '../../http/kept-pages.ts'
import type { Handler } from '../../http/mount.ts'
import { requireInvestigation } from '../../investigations/queries.ts'
import { type ArchiveDeps, ifReadable, pastDays } from '../../transmissions/lookup.ts'
import { directoryUrl, investigationUrl } from '../../wire/addresses.ts'
import { hostOf } from '../../wire/mentions.ts'
import { one, readAfter, readId } from '../../wire/query.ts'
import { directoryFeedUrl, type FeedOf, messageFeed } from './feeds.ts'
import { sitemap } from './sitemap.ts'

export interface FeedDeps extends ArchiveDeps {
  database: Database
  /** BASE_URL, if set. */
  baseUrl: string | undefined
  kept: KeptPages
}

const MESSAGES_IN_FEED = 30

export const feedHandlers = (deps: FeedDeps) => ({
  readFeed: feedHandler(deps, async ({ query }) => {
    const path = one(query, 'directory', 'invalid_directory')
    if (path !== undefined) return newestIn(deps, path)
    return { messages: await newestMessages(deps.database.db, MESSAGES_IN_FEED) }
  }),
  readInvestigationFeed: feedHandler(deps, ({ params }) => newestEntries(deps, readId(params.id))),
  readSitemap: sitemapHandler(deps),
})

const feedHandler =
  ({ kept, baseUrl, database }: FeedDeps, find: (call: Call) => Promise<FeedContent>): Handler =>
  (call, { cache }) =>
    kept.answer(call, cache, async () => {
      const { messages, of } = await find(call)
      const base = baseUrlOf(call, baseUrl)
      const ids = messages.map(({ id }) => id)
      const answers = await answersOf(database.db, ids, hostOf(base))
      return { kind: 'atom', text: messageFeed(messages, answers, base, of) }
    })

interface FeedContent {
  /** Newest first. */
  messages: MessageRecord[]
  /** Undefined for the feed of the whole board. */
  of?: FeedOf
}

/** @throws Problem invalid_directory, directory_not_found */
async function newestIn({ database }: FeedDeps, path: string): Promise<FeedContent> {
  requirePath(path, 'directory')
  return database.read(async (tx) => {
    const { id } = await requireDirectory(tx, path)
    const newest = { order: 'newest first', before: undefined } as const
    const { messages } = await messagesIn(tx, id, newest, MESSAGES_IN_FEED)
    return { messages, of: { title: path, self: directoryFeedUrl(path), page: directoryUrl(path) } }
  })
}

/** @throws Problem investigation_not_found */
async function newestEntries({ database }: FeedDeps, id: bigint): Promise<FeedContent> {
  const page = investigationUrl(id)
  return database.read(async (tx) => ({
    of: { title: (await requireInvestigation(tx, id)).title, self: `${page}.atom`, page },
    messages: await newestMessages(tx, MESSAGES_IN_FEED, id),
  }))
}

const sitemapHandler =
  (deps: FeedDeps): Handler =>
  (call, { cache }) => {
    const source = {
      db: deps.database.db,
      baseUrl: baseUrlOf(call, deps.baseUrl),
      days: async () => (await ifReadable(deps, () => pastDays(deps))) ?? [],
    }
    const of = one(call.query, 'of', 'invalid_request')
    const chunks = sitemap(source, of, readAfter(call.query))
    return answerTaggedText(call, 'xml', { length: null, chunks: () => chunks }, cache, null)
  }
