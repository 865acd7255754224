// The sentences with which logs, commands and responses tell that a clock is wrong.
import { instant } from '../wire/instant.ts'
import type { Fault, Moment, Verdict } from './rules.ts'

const SOURCES: Record<Fault['by'], string> = {
  boot: 'by the time since boot it should be',
  database: 'by the clock of the database it should be',
  latest: 'the latest record is dated',
}

/** For example `it reads 2030-01-01T00:00:00.000Z; by the time since boot it should be 2026-11-05T10:00:20.000Z`. */
export const timesOf = ({ wall }: Pick<Moment, 'wall'>, faults: readonly Fault[]): string =>
  [
    `it reads ${instant(wall)}`,
    ...faults.map(({ by, at }) => `${SOURCES[by]} ${instant(Math.round(at))}`),
  ].join('; ')

/** The line for the operator while a server refuses to write. */
export function refusalLine(moment: Moment, { faults, isWaiting }: Verdict): string {
  const remedy = isWaiting
    ? 'it is accepted if it stays so for 60 s'
    : 'set the clock, or see `npm run operator -- clock --help`'
  return `the clock of this machine is wrong, and nothing is written: ${timesOf(moment, faults)}; ${remedy}`
}
