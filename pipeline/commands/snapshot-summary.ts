// Shows the progress of npm run snapshot, and sums up the run in its last line.
import { progressBar } from '../../archive/base/progress-bar.ts'
import { INDEX_PAGE } from '../../archive/format/paths.ts'
import type { DayOutcome, Stage } from '../run/session.ts'

/**
 * Returns for example `2 published, 1 failed; 9.1 MB of files`, `no day was missing; wrote index.html` or
 * `nothing to do`. The caller appends the archive's location.
 * @param bytes the total size of the files of these days
 * @param derived the names of the derived files that were written
 * @param indexPage whether `index.html` was requested
 */
export function summaryOf(
  outcomes: readonly DayOutcome[],
  bytes: number,
  derived: readonly string[],
  indexPage: boolean,
): string {
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

/** The fraction of a day's total time at which each stage begins. */
const BEGINS_AT: Record<Stage, number> = {
  snapshot: 0,
  sound: 0.02,
  picture: 0.12,
  film: 0.2,
  seal: 0.93,
  verify: 0.95,
}
const FILM_SHARE = BEGINS_AT.seal - BEGINS_AT.film

/** Shows one bar for several days, which may progress at the same time. Silent for a single day. */
export function daysProgress(...terminal: Parameters<typeof progressBar>) {
  let bar: ReturnType<typeof progressBar> | undefined
  let total = 0
  const parts = new Map<string, number>()
  return {
    begin(days: number) {
      total = days
      if (days > 1) bar = progressBar(...terminal)
    },
    /** @param fraction the completed fraction of the stage, 0 to 1 */
    show(day: string, stage: Stage, fraction: number) {
      parts.set(day, BEGINS_AT[stage] + (stage === 'film' ? fraction * FILM_SHARE : 0))
      const done = [...parts.values()].reduce((sum, part) => sum + part, 0)
      bar?.show(done / total, `${day} ${stage}`)
    },
    complete(day: string) {
      parts.set(day, 1)
    },
    clear() {
      bar?.clear()
    },
  }
}

export type DaysProgress = ReturnType<typeof daysProgress>
