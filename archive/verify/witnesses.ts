// Checks a checkpoint against a reader's policy: the keys of the log, the witnesses and their quorum (FORMAT.md 25).
import { ArchiveError } from '../base/errors.ts'
import { daySpan } from '../format/calendar.ts'
import { type LogEntry, newestOf } from '../log/days.ts'
import { deadlineOf } from '../log/deadline.ts'
import type { Verifier } from '../log/note.ts'
import { keysOfLog, type Policy } from '../log/policy.ts'
import { type Witnessed, witnessedBy } from '../log/witnessed.ts'
import type { Finding, WitnessReport } from './findings.ts'

/** What a reader demands of the witnesses of a log. */
export interface WitnessDemand {
  policy: Policy
  /** Wall-clock time [ms since 1970]. */
  now: number
}

/**
 * The keys of which one must have signed a log: those that the caller gives, and those of the policy.
 * @returns null if neither names any
 * @throws ArchiveError `unknown_signer` if the policy names logs, but not this one
 */
export function demandedKeys(
  origin: string,
  given: readonly Verifier[] | null,
  policy: Policy | undefined,
): readonly Verifier[] | null {
  if (!policy || policy.logs.length === 0) return given
  const keys = keysOfLog(policy, origin)
  if (keys.length === 0)
    throw new ArchiveError('unknown_signer', `the policy names no Ed25519 key of ${origin}`)
  return [...(given ?? []), ...keys]
}

/**
 * Checks the cosignatures of a checkpoint.
 * @param file the name of the checkpoint in findings
 * @returns what the witnesses have signed, and a finding unless they are a quorum
 * @throws ArchiveError `wrong_signature`
 */
export function checkWitnesses(
  { note, entries, file }: { note: Uint8Array; entries: readonly LogEntry[]; file: string },
  { policy, now }: WitnessDemand,
) {
  const newest = newestOf(entries.map(({ day }) => day))
  const dayEnd = newest === null ? null : daySpan(newest).to
  const witnessed = witnessedBy(note, policy, { dayEnd, now })
  if (witnessed.hasQuorum) return { witnessed, finding: null }
  const isLate = newest !== null && now >= deadlineOf(newest)
  const count = `${witnessed.count} of ${witnessed.states.length} witnesses have signed`
  const message = isLate
    ? `${count}, which is no quorum, and ${newest} ended more than 36 hours ago`
    : `${count}, which is no quorum yet`
  const finding: Finding = { code: isLate ? 'no_quorum' : 'quorum_pending', file, message }
  return { witnessed, finding }
}

/** What a report states about the witnesses. */
export function reportWitnesses({ states }: Witnessed): WitnessReport[] {
  return states.map(({ witness, time, shortfall }) => ({
    name: witness.name,
    key: `${witness.key.name}+${witness.key.id}`,
    signed_at: time === null ? null : timeOf(time),
    shortfall,
  }))
}

/** @param seconds since 1970, which a key of the policy has signed, but may be beyond every calendar */
function timeOf(seconds: number): string | null {
  const date = new Date(seconds * 1000)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
