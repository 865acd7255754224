// Finds what is close to a query that found few messages: a directory named by its words, and words that begin alike.
import type { Branch } from '../board/directory-tree.ts'
import type { Queryable } from '../database/database.ts'
import { type FoundMessage, search } from './queries.ts'
import { parseQuery, type Query, widened } from './rules.ts'

/** What another query finds in addition. */
export interface Near {
  text: string
  query: Query
  /** Newest first, at least one. */
  rows: FoundMessage[]
  /** The directory that it names, or the beginnings of the words. */
  of: Branch | readonly string[]
}

/** Messages that are so few that the page shows what is close, and messages of each of these. */
const FEW = 3
const SHOWN = 5

/** Letters left out at the ends of words, in turn, until something is found: `robins` finds `robin`. */
const CUTS = [0, 1, 2]

/** @param found all messages of the query @param directory with its words in the path */
export async function nearOf(
  db: Queryable,
  query: { text: string } & Pick<Query, 'from' | 'to'>,
  { found, directory }: { found: readonly FoundMessage[]; directory: Branch | undefined },
): Promise<Near[]> {
  if (found.length > FEW) return []
  const known = new Set(found.map(({ id }) => id))
  const others = async (text: string, of: Near['of']): Promise<Near[]> => {
    const other = parseQuery(text)
    const { rows } = await search(db, { query: other, before: undefined, limit: FEW + SHOWN })
    const shown = rows.filter(({ id }) => !known.has(id)).slice(0, SHOWN)
    return shown.length > 0 ? [{ text, query: other, rows: shown, of }] : []
  }
  const days = [query.from && ` from:${query.from}`, query.to && ` to:${query.to}`]
  const near = directory
    ? await others(`in:${directory.path}${days.filter(Boolean).join('')}`, directory)
    : []
  for (const cut of CUTS) {
    const wide = widened(query.text, cut)
    const alike = wide ? await others(wide.text, wide.beginnings) : []
    if (alike.length > 0) return [...near, ...alike]
  }
  return near
}
