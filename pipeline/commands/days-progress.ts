// Shows the progress of a run over several days.
import { progressBar } from '../../archive/base/progress-bar.ts'
import type { Stage } from '../run/session.ts'

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

export interface DaysProgress {
  begin(days: number): void
  /** @param fraction the completed fraction of the stage, 0 to 1 */
  show(day: string, stage: Stage, fraction: number): void
  complete(day: string): void
  clear(): void
}

/** Shows one bar for several days, which may progress at the same time. Silent for a single day. */
export function daysProgress(...terminal: Parameters<typeof progressBar>): DaysProgress {
  let bar: ReturnType<typeof progressBar> | undefined
  let total = 0
  const parts = new Map<string, number>()
  return {
    begin(days) {
      total = days
      if (days > 1) bar = progressBar(...terminal)
    },
    show(day, stage, fraction) {
      parts.set(day, BEGINS_AT[stage] + (stage === 'film' ? fraction * FILM_SHARE : 0))
      const done = [...parts.values()].reduce((sum, part) => sum + part, 0)
      bar?.show(done / total, `${day} ${stage}`)
    },
    complete(day) {
      parts.set(day, 1)
    },
    clear() {
      bar?.clear()
    },
  }
}
