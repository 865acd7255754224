// Decides which due days a run takes now: those that are known to be over (COMMANDS.md 2.3), and all with receipts in ascending
// order, once the log has a leaf (FORMAT.md 23.3).
import { setTimeout as sleep } from 'node:timers/promises'
import { daySpan } from '../../archive/format/calendar.ts'
import { TOLERANCE_MS } from '../../server/database/settings/clock-settings.ts'
import type { DayOutcome, Run } from '../run/session.ts'
import { type Evidence, notEnded, reasonToWait } from './due-days.ts'
import { hasAnyMessage, readEvidence } from './queries.ts'

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
  const begun = await run.archive.reader.begunDays()
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

type Sealing = Pick<Run, 'database' | 'log'>

/**
 * Adds to the days of a run the earlier ones that are due and have messages with receipts, so that the log shows no
 * breach of their deadline.
 * @param days ascending
 * @param due all days that are due, ascending
 * @returns ascending
 */
export async function withEarlierDays(
  run: Sealing,
  days: readonly string[],
  due: readonly string[],
): Promise<string[]> {
  const last = days.at(-1)
  if (last === undefined || !mustAscend(run)) return [...days]
  const earlier = due.filter((day) => day < last && !days.includes(day))
  return [...(await withReceipts(run, earlier)), ...days].sort()
}

/** Rejects --newest-first for days with receipts. @throws Error with one line */
export async function refuseNewestFirst(run: Sealing, days: readonly string[]): Promise<void> {
  const [day] = mustAscend(run) ? await withReceipts(run, days) : []
  if (day !== undefined)
    throw new Error(
      `--newest-first: ${day} has messages with receipts, and such days are sealed in ascending order; leave the option out`,
    )
}

const mustAscend = ({ log }: Sealing): boolean => log.entries.length > 0

async function withReceipts({ database }: Sealing, days: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const day of days) if (await hasAnyMessage(database.db, daySpan(day))) found.push(day)
  return found
}
