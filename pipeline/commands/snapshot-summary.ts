// Formats the last line of npm run snapshot, which sums up the run.
import { INDEX_PAGE } from '../../archive/format/paths.ts'
import type { DayOutcome } from '../run/session.ts'

export interface Summarized {
  outcomes: readonly DayOutcome[]
  /** Total size of the files of these days. */
  bytes: number
  /** The names of the derived files that were written. */
  derived: readonly string[]
  /** Whether `index.html` was requested. */
  indexPage: boolean
}

/**
 * Returns for example `2 published, 1 failed; 9.1 MB of files`, `no day was missing; wrote index.html` or
 * `nothing to do`. The caller appends the archive's location.
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

const MAX_NAMES = 3

/** Lists the last names, which are those of the archive as a whole, and counts the others. */
function lastOf(names: readonly string[]): string {
  const others = names.length - MAX_NAMES
  const list = names.slice(-MAX_NAMES).join(', ')
  return others > 0 ? `${list} and ${others} more` : list
}
