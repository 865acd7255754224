// Decides whether the wall clock of a server may date records and heartbeats (OPERATING.md 6.1), and tells how clocks
// contradict each other. Pure; all times in ms.
import { DAY_MS } from '../../protocol/index.ts'
import {
  type Acceptance,
  type ClockReading,
  differ,
  elapsedByBoot,
  TOLERANCE_MS,
  timeByDatabase,
  wallOf,
} from '../database/settings/clock-settings.ts'
import { instant } from '../wire/instant.ts'

/** How long the wall clock must keep a step before it is accepted. */
const STEP_STAYS_MS = 60_000

/** The longest step forwards that is accepted without the operator or a database's clock. */
const LONGEST_LEAD_MS = DAY_MS

export interface Moment extends ClockReading {
  /** The latest time of publication that was issued, or the floor, if that is later. */
  latest: number
}

/** What a server remembers from one comparison to the next. */
export interface ClockMemory {
  /** The last reading on which all agreed; until then the one at the start. */
  reference: ClockReading
  hasAgreed: boolean
  /** The first reading after a step that is not accepted yet. */
  step: ClockReading | null
  /** The id of the acceptance that was known at the last agreement. */
  heeded: string | null
}

/** What contradicts the wall clock. */
export interface Fault {
  by: 'boot' | 'database' | 'latest'
  at: number
}

export interface ClockVerdict {
  memory: ClockMemory
  /** Empty if the wall clock may date records. */
  faults: Fault[]
  /** Whether the wall clock only has to keep its step for a while to be accepted. */
  isWaiting: boolean
}

/** @param reading at the start of the server */
export const firstMemory = (reading: ClockReading): ClockMemory => ({
  reference: reading,
  hasAgreed: false,
  step: null,
  heeded: null,
})

/**
 * Compares the wall clock with all that can contradict it.
 * @param operator what the operator has accepted last
 */
export function judge(
  memory: ClockMemory,
  moment: Moment,
  operator: Acceptance | null,
): ClockVerdict {
  const byBoot = memory.reference.wall + elapsedByBoot(memory.reference, moment)
  const isStepped = differ(moment.wall, byBoot) && !isNewlyAccepted(memory, moment, operator)
  const step = isStepped ? stepOf(memory, moment) : null
  const mayStep = step === null || mayLead(memory, moment, moment.wall - byBoot)
  const hasStayed = step === null || elapsedByBoot(step, moment) >= STEP_STAYS_MS
  const others = contradictionsOf(moment, operator)
  const isAccepted = mayStep && hasStayed
  if (others.length === 0 && isAccepted) {
    const heeded = operator?.id ?? null
    return {
      memory: { reference: moment, hasAgreed: true, step: null, heeded },
      faults: [],
      isWaiting: false,
    }
  }
  return {
    memory: { ...memory, step },
    faults: isAccepted ? others : [{ by: 'boot', at: byBoot }, ...others],
    isWaiting: others.length === 0 && mayStep,
  }
}

/** What contradicts the wall clock other than its own past. */
export function contradictionsOf(moment: Moment, operator: Acceptance | null): Fault[] {
  const byDatabase = timeByDatabase(moment, operator)
  const faults: Fault[] = []
  if (byDatabase !== null && differ(moment.wall, byDatabase))
    faults.push({ by: 'database', at: byDatabase })
  const isKnown = operator !== null && moment.latest <= operator.latest
  if (isAhead(moment.latest, byDatabase ?? moment.wall) && !isKnown)
    faults.push({ by: 'latest', at: moment.latest })
  return faults
}

/** Whether a time lies so far ahead that it must be wrong. */
export const isAhead = (at: number, now: number): boolean => at - now > TOLERANCE_MS

/** Whether the operator has, since the last agreement, made a clock the measure that shows the same time. */
const isNewlyAccepted = ({ heeded }: ClockMemory, moment: Moment, operator: Acceptance | null) =>
  operator !== null && operator.id !== heeded && !differ(moment.wall, wallOf(operator, moment))

/** The first reading of the present step: the one remembered, unless the clock has stepped again since. */
function stepOf({ step }: ClockMemory, moment: Moment): ClockReading {
  const hasStayed = step && !differ(moment.wall, step.wall + elapsedByBoot(step, moment))
  return hasStayed ? step : moment
}

/** Whether a step is small enough. If the database has a clock, it has been compared already. */
const mayLead = ({ hasAgreed }: ClockMemory, { database }: Moment, lead: number): boolean =>
  !hasAgreed || database !== null || lead <= LONGEST_LEAD_MS

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
