// Holds back the days of a run that are not known to be over (COMMANDS.md 2.3).
import { setTimeout as sleep } from 'node:timers/promises'
import { daySpan } from '../../archive/format/calendar.ts'
import { TOLERANCE_MS } from '../../server/database/settings/clock-settings.ts'
import type { DayOutcome, Run } from '../run/session.ts'
import { type Evidence, notEnded, reasonToWait } from './due-days.ts'
import { readEvidence } from './queries.ts'

/**
 * Separates the days that are not known to be over. A day whose snapshot is fixed is completed.
 * @param days ascending
 * @param areNamed whether the operator has named them, so that they need no heartbeat
 * @returns the other days, and one outcome for all that are held back
 */
export async function holdBack(
  run: Run,
  days: readonly string[],
  areNamed: boolean,
): Promise<{ days: string[]; held: DayOutcome | null }> {
  const evidence = await evidenceFor(days, run)
  const begun = await run.archive.begunDays()
  const reasonOf = areNamed ? notEnded : reasonToWait
  const isHeld = (day: string) => !begun.includes(day) && reasonOf(day, evidence) !== null
  const { held = [], ready = [] } = Object.groupBy(days, (day) => (isHeld(day) ? 'held' : 'ready'))
  const [day] = held
  if (day === undefined) return { days: ready, held: null }
  const others = held.length === 1 ? '' : `; as for ${held.length - 1} more, up to ${held.at(-1)}`
  const message = `${reasonOf(day, evidence)}${others}`
  return { days: ready, held: { day, status: areNamed ? 'failed' : 'waiting', message } }
}

/** Reads the evidence, after a short wait if only seconds are missing by the clock of the database. */
async function evidenceFor(days: readonly string[], run: Run): Promise<Evidence> {
  const { database, clock, signal } = run
  const evidence = await readEvidence(database, clock)
  const last = days.at(-1)
  if (last === undefined || evidence.databaseTime === null) return evidence
  const missing = daySpan(last).to - evidence.databaseTime
  if (missing <= 0 || missing > TOLERANCE_MS) return evidence
  await sleep(missing, undefined, { signal })
  return readEvidence(database, clock)
}
