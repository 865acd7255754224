// Chooses examples of queries that find something on this board, without a word or a name of a message.
import { dayOf } from '../../archive/format/calendar.ts'
import type { DirectoryTree } from '../board/directory-tree.ts'
import type { Queryable } from '../database/database.ts'
import { search } from './queries.ts'
import { parseQuery } from './rules.ts'

/** Queries for a word, a beginning, a directory since a day, and a kind until that day. */
export type Examples = [word: string, beginning: string, directory: string, kind: string]

/** A name that is one word, of which an example has the first letters, and that fits on a phone. */
const WORD = /^[a-z]{3,40}$/

/** @param tree null while it is not complete */
export async function findableExamples(
  db: Queryable,
  tree: DirectoryTree | null,
): Promise<Examples> {
  const named = tree?.roots.filter(({ path, lastAt }) => WORD.test(path) && lastAt > 0) ?? []
  const [busiest] = named.sort((a, b) => b.here + b.below - a.here - a.below)
  // For a board on which nothing can be found.
  const { path, lastAt } = busiest ?? { path: 'river', lastAt: Date.UTC(2026, 10, 1) }
  const query = parseQuery('kind:question')
  const { rows } = await search(db, { query, before: undefined, limit: 1 })
  const kind = rows.length > 0 ? 'question' : 'message'
  const day = dayOf(lastAt)
  return [path, `${path.slice(0, 3)}*`, `in:${path} from:${day}`, `kind:${kind} to:${day}`]
}
