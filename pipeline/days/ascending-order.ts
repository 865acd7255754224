// Keeps the order in which days with receipts are sealed: ascending, once the log has a leaf (FORMAT.md 25.3).
import { daySpan } from '../../archive/format/calendar.ts'
import type { Run } from '../run/session.ts'
import { hasAnyMessage } from './queries.ts'

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
