// Handles the endpoints of the search that api.ts declares.
import { setImmediate } from 'node:timers/promises'
import { Queue } from '../../archive/base/concurrently.ts'
import { dayOf } from '../../archive/format/calendar.ts'
import { DAY_MS } from '../../protocol/index.ts'
import { type Answers, answersOf } from '../board/answers.ts'
import type { Branch, DirectoryTree } from '../board/directory-tree.ts'
import type { IncrementalCounts } from '../board/incremental-counts.ts'
import { pageWith } from '../board/message-pages.ts'
import type { Database, Queryable } from '../database/database.ts'
import { answerTaggedText, answerText, textHeaders } from '../http/answer.ts'
import { baseUrlOf, type Call, prefersJson } from '../http/call.ts'
import { attach, type Handler, type Route } from '../http/mount.ts'
import type { CurrentModes } from '../modes/current.ts'
import type { Clock } from '../system/system.ts'
import { hostOf } from '../wire/mentions.ts'
import { Problem } from '../wire/problem.ts'
import { one, readBefore, readLimit } from '../wire/query.ts'
import { SEARCH } from './api.ts'
import { type Examples, findableExamples, type Near, nearOf } from './near.ts'
import { directoriesWith, type SearchRequest, type SearchResult, search } from './queries.ts'
import { parseQuery, type Query } from './rules.ts'

const RESULTS_SHOWN = 20

interface FoundPage extends SearchResult {
  answers: Answers
  query: Query
  isFirst: boolean
  /** Directories whose paths have the words; none on later pages. */
  directories: readonly Branch[]
  /** Only for a first page with few messages. */
  near: readonly Near[]
}

export interface SearchView {
  /** As it was typed; undefined if nothing was. */
  text: string | undefined
  /** Undefined without a query, or with an invalid one. */
  found: FoundPage | undefined
  /** For the page that says how to ask; undefined for one with results. */
  examples: Examples | undefined
  /** Why the query is invalid; undefined if it is valid. */
  fault: string | undefined
  /** The first of the last seven days, today among them. */
  weekFrom: string
  /** Whether publishing messages is currently off. */
  isClosed: boolean
}

export interface SearchDeps {
  database: Database
  clock: Pick<Clock, 'now'>
  /** BASE_URL, if set. */
  baseUrl: string | undefined
  modes: Pick<CurrentModes, 'isClosed'>
  directories: IncrementalCounts<DirectoryTree>
}

export function searchRoutes(deps: SearchDeps, render: (view: SearchView) => string): Route[] {
  const { db } = deps.database
  // One at a time, and other requests in between: SQLite searches in this thread, and must not delay those who write.
  const queue = new Queue()
  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    queue.run(async () => {
      await setImmediate()
      return work()
    })
  const searchMessages: Handler = (call, { cache }) => {
    const span = { before: readBefore(call.query), limit: readLimit(call.query) }
    const request = { ...span, query: parseQuery(textOf(call)) }
    return inTurn(async () => {
      const { rows, next, searchedTo } = await search(db, request)
      const { body, etag } = pageWith(db, rows, { next, searchedTo })
      return answerTaggedText(call, 'json', body, cache, etag, NOT_INDEXED)
    })
  }
  return attach(SEARCH, {
    searchMessages,
    showSearch: async (call, route) => {
      if (prefersJson(call)) return searchMessages(call, route)
      const span = { before: readBefore(call.query), limit: readLimit(call.query, RESULTS_SHOWN) }
      const text = textOf(call)
      const isClosed = await deps.modes.isClosed()
      const tree = await deps.directories.completeOrNull()
      const pageOf = ({ found, fault }: Partial<SearchView>) => {
        const isHelped = !found || (found.isFirst && messagesIn(found).length === 0)
        const examples = isHelped ? findableExamples(tree) : undefined
        const weekFrom = dayOf(deps.clock.now() - 6 * DAY_MS)
        return render({ text, isClosed, found, fault, examples, weekFrom })
      }
      try {
        const request = text === undefined ? undefined : { ...span, text, query: parseQuery(text) }
        const host = hostOf(baseUrlOf(call, deps.baseUrl))
        const found = request && (await inTurn(() => find(db, request, tree, host)))
        return answerText(call, 'html', pageOf({ found }), route.cache, NOT_INDEXED)
      } catch (error) {
        // On the page of the search, where the query can be corrected.
        if (!(error instanceof Problem && error.code === 'invalid_query')) throw error
        const body = pageOf({ fault: error.message })
        return { status: error.status, headers: [...textHeaders('html', 'no-store')], body }
      }
    },
  })
}

async function find(
  db: Queryable,
  request: SearchRequest & { text: string },
  tree: DirectoryTree | null,
  host: string,
): Promise<FoundPage> {
  const { query, before, text } = request
  const result = await search(db, request)
  const { rows, next } = result
  const isFirst = !before
  const directories = isFirst && tree ? directoriesFor(tree, query, rows.length === 0) : []
  const close = { found: rows, directory: directories[0] }
  const near = isFirst && next === 0n ? await nearOf(db, { ...query, text }, close) : []
  const ids = new Set(messagesIn({ rows, near }).map(({ id }) => id))
  const answers = await answersOf(db, [...ids], host)
  return { ...result, answers, query, isFirst, directories, near }
}

/** The messages that a page shows, one of several groups more than once. */
const messagesIn = ({ rows, near }: Pick<FoundPage, 'rows' | 'near'>) =>
  [rows, ...near.map((group) => group.rows)].flat()

/** Words of a query that are looked for one by one among the paths. */
const WORDS_TRIED = 8

/** Returns the directories with all words of a query; if nothing was found, those with any of them. */
function directoriesFor(tree: DirectoryTree, query: Query, isEmpty: boolean): Branch[] {
  const all = directoriesWith(tree, query)
  if (all.length > 0 || !isEmpty) return all
  const words = query.words.slice(0, WORDS_TRIED)
  return [...new Set(words.flatMap((word) => directoriesWith(tree, { ...query, words: [word] })))]
}

/** Results change with every message and are nobody's own, so search engines keep none. */
const NOT_INDEXED = ['X-Robots-Tag', 'noindex'] as const

const textOf = ({ query }: Call): string | undefined => one(query, 'q', 'invalid_query')
