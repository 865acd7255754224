// Chooses examples of queries that find something on this board, without a word or a name of a message.
import { dayOf } from '../../archive/format/calendar.ts'
import type { DirectoryTree } from '../board/directory-tree.ts'

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
