// Finds messages by their words, in bounded steps, newest first.
import { daySpan } from '../../archive/format/calendar.ts'
import type { Branch, DirectoryTree } from '../board/directory-tree.ts'
import { firstIdFrom, idAfter, messagesOfPage } from '../board/queries.ts'
import { compiled, compiledForValues } from '../database/compiled.ts'
import type { Queryable } from '../database/database.ts'
import { lastIssued } from '../database/records/sequences.ts'
import type { Span, Term } from '../database/words/engines.ts'
import { findMessages } from '../database/words/messages.ts'
import type { Query } from './rules.ts'

/** What one answer looks at, at most. */
export interface Bound {
  /** The ids in whose range the index is asked. */
  ids: bigint
  /** Messages that have the words, hidden ones too. */
  messages: number
}

/** Within it, an answer takes as long as API.md 11.5 says, however large the board is. */
const BOUND: Bound = { ids: 1_000_000n, messages: 1_000 }

export interface SearchRequest {
  query: Query
  /** Only messages before this id; undefined for the newest. */
  before: bigint | undefined
  limit: number
}

export interface SearchResult {
  /** Newest first. */
  rows: FoundMessage[]
  /** The cursor of what is older; 0 if nothing is left to look at. */
  next: bigint
  /** When the search stopped at its bound: the time of the last message that it looked at [ms since 1970]. */
  searchedTo: bigint | null
}

const foundMessages = compiledForValues((db, ids: readonly bigint[]) =>
  messagesOfPage(db)
    .leftJoin('investigations', 'investigations.root_message_id', 'messages.id')
    .select('investigations.title')
    .where('messages.id', 'in', ids),
)

export type FoundMessage = Awaited<ReturnType<typeof foundMessages>>[number]

const oldestFrom = compiled((db, { id }: { id: bigint }) =>
  db.selectFrom('messages').select('publish_at').where('id', '>=', id).orderBy('id').limit(1),
)

const DIRECTORIES_FOUND = 5

/** Returns the directories whose paths have all words of a query, those with most messages first. */
export function directoriesWith({ roots }: DirectoryTree, { words, facets }: Query): Branch[] {
  const rules = words.map(inPaths)
  const found: Branch[] = []
  const messages = (branch?: Branch) => (branch ? branch.here + branch.below : -1)
  const visit = (branch: Branch): void => {
    const isAmong = messages(branch) > messages(found[DIRECTORIES_FOUND - 1])
    if (isAmong && rules.every((isIn) => isIn(branch.path))) {
      found.push(branch)
      found.sort((a, b) => messages(b) - messages(a)).splice(DIRECTORIES_FOUND)
    }
    branch.children.forEach(visit)
  }
  if (words.length > 0 && facets.length === 0) roots.forEach(visit)
  return found
}

/** Finds words side by side in a path, which is in lower case, as they are. They have letters, digits and apostrophes only. */
function inPaths({ words, isPrefix }: Term): (path: string) => boolean {
  const [first = ''] = words
  const end = isPrefix ? '' : '(?![a-z0-9])'
  const pattern = new RegExp(`(?<![a-z0-9])${words.join('[^a-z0-9]+')}${end}`)
  // Most paths do not have the word, which is faster to see than the pattern.
  return (path) => path.includes(first) && pattern.test(path)
}

/** Finds the newest messages that have everything that a query asks for. @param bound smaller in tests */
export async function search(
  db: Queryable,
  { query, before, limit }: SearchRequest,
  bound = BOUND,
): Promise<SearchResult> {
  const range = await rangeOf(db, query, before)
  const from = greater(range.from, range.before - bound.ids)
  const terms = [...query.facets, ...query.words]
  const rows: FoundMessage[] = []
  let { before: next } = range
  let [looked, step] = [0, limit + 1]
  // Few messages are hidden, so that the first step nearly always suffices.
  while (next > from && looked < bound.messages && rows.length <= limit) {
    step = Math.min(step, bound.messages - looked)
    const ids = await findMessages(db, terms, { from, before: next, limit: step })
    rows.push(...(await visibleOf(db, ids, query)))
    looked += ids.length
    next = ids.length < step ? from : (ids.at(-1) as bigint)
  }
  if (rows.length > limit) {
    const shown = rows.slice(0, limit)
    return { rows: shown, next: shown.at(-1)?.id ?? 0n, searchedTo: null }
  }
  if (next <= range.from) return { rows, next: 0n, searchedTo: null }
  const [oldest] = await oldestFrom(db, { id: next })
  return { rows, next, searchedTo: oldest?.publish_at ?? null }
}

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Returns the ids in which a query can be met; empty if `from` is not below `before`. */
async function rangeOf(
  db: Queryable,
  { from, to }: Query,
  before: bigint | undefined,
): Promise<Pick<Span, 'from' | 'before'>> {
  const end = (await lastIssued(db, 'message')) + 1n
  const first = from === undefined ? 1n : ((await firstIdFrom(db, from)) ?? end)
  const last = to === undefined ? end : await idAfter(db, to)
  return { from: first, before: lesser(lesser(before ?? end, end), last) }
}

/** Returns those that readers may see and that are of the days of the query, in the order of the ids. */
async function visibleOf(
  db: Queryable,
  ids: readonly bigint[],
  { from, to }: Query,
): Promise<FoundMessage[]> {
  const found = new Map((await foundMessages(db, ids)).map((row) => [row.id, row]))
  const earliest = from === undefined ? 0 : daySpan(from).from
  const end = to === undefined ? Number.POSITIVE_INFINITY : daySpan(to).to
  return ids.flatMap((id) => {
    const row = found.get(id)
    return row && row.publish_at >= earliest && row.publish_at < end ? row : []
  })
}
