// The progress bar of a run of several days.
import type { Stage } from '../session.ts'
import { progressBar } from './terminal.ts'

/** The part of a day's time after which each stage begins. */
const BEGINS: Record<Stage, number> = {
  snapshot: 0,
  sound: 0.02,
  picture: 0.12,
  film: 0.2,
  seal: 0.93,
  verify: 0.95,
}
const FILM_SHARE = BEGINS.seal - BEGINS.film

export interface DaysProgress {
  begin(days: number): void
  /** @param fraction the part of the stage that is done */
  show(day: string, stage: Stage, fraction: number): void
  complete(day: string): void
  clear(): void
}

/** The progress of a run of several days, of which some may be in work at once; silent for a single day. */
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
      parts.set(day, BEGINS[stage] + (stage === 'film' ? fraction * FILM_SHARE : 0))
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
