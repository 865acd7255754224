// The last line of npm run snapshot: what was done.
import { INDEX_PAGE } from '../../archive/format/paths.ts'
import type { DayOutcome } from '../session.ts'

export interface Summarized {
  outcomes: readonly DayOutcome[]
  /** Of all files of these days. */
  bytes: number
  /** The names of the derived files that were written. */
  derived: readonly string[]
  /** Whether the page for plain file servers was asked for. */
  indexPage: boolean
}

/**
 * As in `2 published, 1 failed; 9.1 MB of files`, `no day was missing; wrote index.html`, `nothing to do`. The place
 * follows.
 */
export function summaryOf({ outcomes, bytes, derived, indexPage }: Summarized): string {
  const page = derived.includes(INDEX_PAGE) ? `wrote ${INDEX_PAGE}` : `${INDEX_PAGE} is up to date`
  if (outcomes.length === 0 && derived.length > 0)
    return `no day was missing; wrote ${lastOf(derived)}`
  if (outcomes.length === 0) return indexPage ? `nothing to do: ${page}` : 'nothing to do'
  const counts = Map.groupBy(outcomes, ({ status }) => status)
  const list = [...counts].map(([status, days]) => `${days.length} ${status}`).join(', ')
  return `${list}; ${indexPage ? `${page}; ` : ''}${(bytes / 1e6).toFixed(1)} MB of files`
}

const NAMED = 3

/** The last names, which are those of the archive as a whole, and how many others there are. */
function lastOf(names: readonly string[]): string {
  const others = names.length - NAMED
  const named = names.slice(-NAMED).join(', ')
  return others > 0 ? `${named} and ${others} more` : named
}
