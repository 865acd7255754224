// Finds what helps on: what is close to a query that found few messages, a directory named by its words, and words that begin alike;
// and examples of queries that find something on this board, without a word or a name of a message.
import { dayOf } from '../../archive/format/calendar.ts'
import type { Branch, DirectoryTree } from '../board/directory-tree.ts'
import type { Queryable } from '../database/database.ts'
import { lastIssued } from '../database/records/sequences.ts'
import { Problem } from '../wire/problem.ts'
import { type FoundMessage, search } from './queries.ts'
import { parseQuery, type Query, widened } from './rules.ts'

/** What another query finds in addition. */
export interface Near {
  text: string
  query: Query
  /** Newest first, at least one. */
  rows: FoundMessage[]
  /** Whether it finds more than these and what the query itself finds. */
  hasMore: boolean
  /** The directory or the author that it names, or the beginnings of the words. */
  of: Branch | { author: string } | readonly string[]
}

/** Messages that are so few that the page shows what is close, and messages of each of these. */
const FEW = 3
const SHOWN = 5

/** Letters left out at the ends of words, in turn, until something is found: `robins` finds `robin`. */
const CUTS = [0, 1, 2]

/** On a board with more messages, the beginnings of several words, common each, would take longer than the query itself. */
const MANY = 100_000n

/** Returns a query; undefined for one that is too long, or in which a word has too few letters, as `né` in three characters. */
function readable(text: string): Query | undefined {
  try {
    return parseQuery(text)
  } catch (error) {
    if (error instanceof Problem) return undefined
    throw error
  }
}

/** @param found all messages of the query @param directory with its words in the path */
export async function nearOf(
  db: Queryable,
  query: { text: string } & Pick<Query, 'from' | 'to'>,
  { found, directory }: { found: readonly FoundMessage[]; directory: Branch | undefined },
): Promise<Near[]> {
  if (found.length > FEW) return []
  const known = new Set(found.map(({ id }) => id))
  const others = async (text: string, of: Near['of']): Promise<Near[]> => {
    const other = readable(text)
    if (!other) return []
    const { rows, next } = await search(db, { query: other, before: undefined, limit: FEW + SHOWN })
    const unknown = rows.filter(({ id }) => !known.has(id))
    const hasMore = unknown.length > SHOWN || next !== 0n
    const near = { text, query: other, rows: unknown.slice(0, SHOWN), of, hasMore }
    return unknown.length > 0 ? [near] : []
  }
  const days = [query.from && ` from:${query.from}`, query.to && ` to:${query.to}`]
  const near = directory
    ? await others(`in:${directory.path}${days.filter(Boolean).join('')}`, directory)
    : []
  // A name has no operator, no quotation mark and no beginning of a word.
  if (/^[^":*]+$/.test(query.text))
    near.push(...(await others(`by:"${query.text}"`, { author: query.text })))
  const isLarge = (await lastIssued(db, 'message')) > MANY
  const tried = new Set<string>()
  for (const cut of CUTS) {
    const wide = widened(query.text, cut)
    if (!wide || tried.has(wide.text) || (isLarge && wide.beginnings.length > 1)) continue
    tried.add(wide.text)
    const alike = await others(wide.text, wide.beginnings)
    if (alike.length > 0) return [...near, ...alike]
  }
  return near
}

/** Queries for a word, a beginning, a directory, and a word since a day. */
export type Examples = [word: string, beginning: string, directory: string, since: string]

/** A name that is one word, of which an example has the first letters, and that fits on a phone. */
const WORD = /^[a-z]{3,40}$/

/** @param tree null while it is not complete */
export function findableExamples(tree: DirectoryTree | null): Examples {
  const named = tree?.roots.filter(({ path, lastAt }) => WORD.test(path) && lastAt > 0) ?? []
  const [busiest] = named.sort((a, b) => b.here + b.below - a.here - a.below)
  // For a board on which nothing can be found.
  const { path, lastAt } = busiest ?? { path: 'river', lastAt: Date.UTC(2026, 10, 1) }
  return [path, `${path.slice(0, 3)}*`, `in:${path}`, `${path} from:${dayOf(lastAt)}`]
}
