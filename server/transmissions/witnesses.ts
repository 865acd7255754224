// States how many witnesses have signed the log, for the page of days and the operator's status (WRITING.md 5).
import { isArchiveError } from '../../archive/errors.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import { newestDay } from '../../archive/log/days.ts'
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import { witnessedBy, witnessLine } from '../../archive/log/witnessed.ts'
import type { SignedLog } from './day-log.ts'

/**
 * Returns for example `signed, 1 of 2 witnesses; no quorum`.
 * @param now wall-clock time [ms since 1970]
 * @returns null without a log or a policy
 */
export function witnessSummary(
  log: Pick<SignedLog, 'note' | 'newest'> | null,
  policy: WitnessPolicy | null,
  now: number,
): string | null {
  if (!log || !policy) return null
  const day = newestDay(log.newest.keys())
  const dayEnd = day === null ? null : daySpan(day).to
  try {
    return witnessLine(witnessedBy(Buffer.from(log.note), policy, { dayEnd, now }))
  } catch (error) {
    if (isArchiveError(error, 'wrong_signature')) return `${error.message}; no quorum`
    throw error
  }
}
