// Decides which cosignatures of a checkpoint count, and whether they are a quorum (FORMAT.md 25). Pure.
import { type ArchiveError, orElse } from '../base/errors.ts'
import { daySpan } from '../format/calendar.ts'
import { type Cosigner, cosignaturesIn } from './cosignature.ts'
import { newestOf } from './days.ts'
import { isSameSigner, type Note, parseNote } from './note.ts'
import type { Policy, PolicyWitness } from './policy.ts'

/** How far the clock of a witness may be ahead of the reader's [ms]. */
export const CLOCK_TOLERANCE_MS = 10 * 60_000

/** Why a cosignature does not count. */
export type Shortfall =
  /** There is none. */
  | 'missing'
  /** It was made before the newest day of the log had ended. */
  | 'early'
  /** It was made later than now. */
  | 'late'
  /** Its kind is not verified here. */
  | 'unverified'

export interface WitnessTimes {
  /** The end of the log's newest day [ms since 1970]; null if it has none. */
  dayEnd: number | null
  /** Wall-clock time [ms since 1970]. */
  now: number
}

/**
 * Checks a checkpoint against a policy.
 * @returns the states in the order of the policy, the number of cosignatures that count, and whether they are a quorum
 * @throws ArchiveError `invalid_note`; `wrong_signature` for a line by a key of the policy that does not verify
 */
export function witnessedBy(bytes: Uint8Array, policy: Policy, times: WitnessTimes) {
  const note = parseNote(bytes)
  const keys = policy.witnesses.map(({ key }) => key)
  const signed = new Map(cosignaturesIn(note, keys).map(({ cosigner, time }) => [cosigner, time]))
  const states = policy.witnesses.map((witness) => stateOf(witness, note, signed, times))
  const counting = states.filter(({ shortfall }) => shortfall === null)
  const hasQuorum = policy.isQuorum(counting.map(({ witness }) => witness))
  return { states, count: counting.length, hasQuorum }
}

/** What the witnesses of a policy have done about a checkpoint. */
export type Witnessed = ReturnType<typeof witnessedBy>

/**
 * @returns when a witness signed [s since 1970], null if it has not or that is not verified here; `shortfall` is null if its
 *   cosignature counts
 */
function stateOf(
  witness: PolicyWitness,
  { signatures }: Note,
  signed: ReadonlyMap<Cosigner, number>,
  { dayEnd, now }: WitnessTimes,
): { witness: PolicyWitness; time: number | null; shortfall: Shortfall | null } {
  const time = signed.get(witness.key) ?? null
  if (time === null) {
    const isThere = signatures.some((one) => isSameSigner(one, witness.key))
    return { witness, time, shortfall: isThere ? 'unverified' : 'missing' }
  }
  const isEarly = dayEnd !== null && time * 1000 < dayEnd
  const isLate = time * 1000 > now + CLOCK_TOLERANCE_MS
  return { witness, time, shortfall: isEarly ? 'early' : isLate ? 'late' : null }
}

/** A log whose witnesses are asked about; null if there is none. */
type Witnessable = { note: Uint8Array; newest: ReadonlyMap<string, unknown> } | null

/**
 * States how many witnesses have signed a log, for example `signed, 1 of 2 witnesses; no quorum`.
 * @param now wall-clock time [ms since 1970]
 * @returns null without a log or a policy
 */
export function witnessSummary(
  log: Witnessable,
  policy: Policy | null,
  now: number,
): string | null {
  const found = witnessesOf(log, policy, now)
  if (found === null) return null
  if (!('states' in found)) return `${found.message}; no quorum`
  const { length } = found.states
  const witnesses = `${length} ${length === 1 ? 'witness' : 'witnesses'}`
  return `signed, ${found.count} of ${witnesses}${found.hasQuorum ? '' : '; no quorum'}`
}

/** Whether the witnesses that the policy demands have signed; null without a log or a policy. */
export function hasQuorum(log: Witnessable, policy: Policy | null, now: number): boolean | null {
  const found = witnessesOf(log, policy, now)
  return found && 'states' in found && found.hasQuorum
}

/** @returns an error if a line by a witness of the policy does not verify */
function witnessesOf(
  log: Witnessable,
  policy: Policy | null,
  now: number,
): Witnessed | ArchiveError | null {
  if (!log || !policy) return null
  const day = newestOf(log.newest.keys())
  const dayEnd = day === null ? null : daySpan(day).to
  const judge = () => witnessedBy(log.note, policy, { dayEnd, now })
  return orElse(judge, (error) => error, 'wrong_signature')
}
