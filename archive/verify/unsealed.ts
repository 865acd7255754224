// Judges a receipt whose day has no leaf in the log: its message is not due yet, late, or overdue (FORMAT.md 25.4). Pure.
import { daySpan } from '../format/calendar.ts'
import { CHECKPOINT_FILE, KEY_FILE, LOG_FILE } from '../format/paths.ts'
import { rfc3339 } from '../format/scalars.ts'
import { breachOf, deadlineOf } from '../log/deadline.ts'
import type { Policy } from '../log/policy.ts'
import { witnessedBy } from '../log/witnessed.ts'
import type { SignedLog } from '../reading/signed-log.ts'
import type { End } from './receipt-verdict.ts'
import { exemptSentence, lateSentence, overdueSentence, pendingSentence } from './sentences.ts'

/** What the reader brings along. */
interface Reader {
  policy: Policy | undefined
  /** The time of this computer [ms since 1970]. */
  now: number
}

/**
 * Judges a receipt whose day has no leaf.
 * @param log null if there is none
 * @param reason what was found instead of a leaf
 */
export function unsealed(day: string, log: SignedLog | null, reason: string, reader: Reader): End {
  const deadline = rfc3339(deadlineOf(day))
  const first = log?.entries[0]?.day
  const isExempt = first !== undefined && day < first
  const breach = log && breachOf(day, log.entries)
  if (breach)
    return overdue(
      day,
      `${reason}, but ${breach.shownBy} is, which ended after the deadline of ${day}`,
    )
  if (log && !isExempt && isWitnessedAfter(log, day, reader))
    return overdue(day, `${reason}, and witnesses have signed that after the deadline, ${deadline}`)
  if (reader.now <= deadlineOf(day)) {
    const isOver = reader.now >= daySpan(day).to
    const message = `${isOver ? reason : `${day} is not over`}; it is overdue after ${deadline}`
    return { verdict: 'pending', sentence: pendingSentence(day, reader.now), evidence: [], message }
  }
  return isExempt
    ? late(
        exemptSentence(day, first),
        `${reason}, which begins with ${first}; no deadline holds for a day before that`,
      )
    : late(lateSentence(day), `${reason}; by your clock it is overdue since ${deadline}`)
}

function overdue(day: string, message: string): End {
  const evidence = [LOG_FILE, CHECKPOINT_FILE, KEY_FILE]
  return { verdict: 'overdue', sentence: overdueSentence(day), evidence, message }
}

function late(sentence: string, reason: string): End {
  return { verdict: 'late', sentence, evidence: [], message: `${reason}: fetch a fresh copy` }
}

/** Whether a quorum of the policy's witnesses has signed the log after the deadline of a day. */
function isWitnessedAfter({ note }: SignedLog, day: string, { policy, now }: Reader): boolean {
  if (!policy) return false
  // A leaf may come at the deadline itself.
  const times = { dayEnd: deadlineOf(day) + 1, now }
  const { hasQuorum, count } = witnessedBy(note, policy, times)
  return hasQuorum && count > 0
}
