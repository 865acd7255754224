// The sentences with which logs and commands tell that clocks contradict each other.
import { instant } from '../wire/instant.ts'
import type { ClockVerdict, Fault, Moment } from './rules.ts'

const SOURCES: Record<Fault['by'], string> = {
  boot: 'by the time since boot it is',
  database: 'by the clock of the database it is',
  latest: 'the latest record is dated',
}

/** For example `the machine's clock reads 2030-01-01T00:00:00.000Z; by the time since boot it is 2026-11-05T10:00:20.000Z`. */
export const timesOf = ({ wall }: Pick<Moment, 'wall'>, faults: readonly Fault[]): string =>
  [
    `the machine's clock reads ${instant(wall)}`,
    ...faults.map(({ by, at }) => `${SOURCES[by]} ${instant(Math.round(at))}`),
  ].join('; ')

/** Begins every sentence in which a command or the status report names the times. */
export const CONTRADICTION = 'clocks contradict each other'

/** The line for the operator while a server refuses to write. */
export const refusalLine = (moment: Moment, verdict: ClockVerdict): string =>
  `nothing is written, because ${CONTRADICTION}: ${timesOf(moment, verdict.faults)}; ${remedyFor(verdict)}`

function remedyFor({ faults, isWaiting }: ClockVerdict): string {
  if (isWaiting) return 'the step is accepted once it has stayed for 60 s'
  if (faults.every(({ by }) => by === 'latest'))
    return 'if the clock is right, see `npm run operator -- --help` on clock repair'
  return 'set the clock or, if it is right, see `npm run operator -- --help` on clock accept'
}
