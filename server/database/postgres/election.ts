// Chooses the host to use among those that respond, so that an old primary is never written to again.
import type { Position, Seen } from './position.ts'

/** What a host has told about itself. */
export interface HostAnswer {
  /** As `host:port`. */
  host: string
  isReplica: boolean
  /** Null if it cannot tell. */
  system: string | null
  /** Null on a replica, and if the host cannot tell. */
  timeline: number | null
}

export type HostVerdict =
  | { kind: 'chosen'; host: string; position: Position | null; notice?: string }
  /** Hosts accept writes, but none of them may be written to. */
  | { kind: 'refused'; reason: string }
  /** No host accepts writes. */
  | { kind: 'none' }

interface Candidate extends HostAnswer {
  system: string
  timeline: number
}

/**
 * Chooses the host with the highest timeline of the cluster in use. A host that cannot tell its timeline is used only if
 * there is no such host.
 * @param answers of the hosts that respond, in order of preference
 */
export function elect(answers: readonly HostAnswer[], seen: Seen): HostVerdict {
  const primaries = answers.filter(({ isReplica }) => !isReplica)
  const candidates = primaries.filter(isCandidate)
  const known = seen.system ?? candidates[0]?.system
  const isKnown = ({ system }: HostAnswer) => system === known
  const newest = newestOf(candidates.filter(isKnown), seen)
  if (newest) return chosen(newest)
  const unknown = primaries.find(({ system }) => system === null)
  if (unknown) return { kind: 'chosen', host: unknown.host, position: null }
  const [first] = candidates
  if (!first) return { kind: 'none' }
  const member = answers.find(isKnown)
  if (member) {
    const old = candidates.find(isKnown)
    return { kind: 'refused', reason: old ? outdated(old, seen) : foreign(first, member) }
  }
  const together = candidates.filter(({ system }) => system === first.system)
  const other = newestOf(together, seen)
  if (!other) return { kind: 'refused', reason: outdated(first, seen) }
  const notice = `${other.host} serves another cluster (${other.system}) than before (${known}), and is used from now on`
  return { ...chosen(other), notice }
}

const isCandidate = (answer: HostAnswer): answer is Candidate =>
  answer.system !== null && answer.timeline !== null

/** Returns the first with the highest timeline, unless a higher one has been seen. All are of one cluster. */
function newestOf(candidates: readonly Candidate[], { timelines }: Seen): Candidate | undefined {
  const highest = Math.max(...candidates.map(({ timeline }) => timeline))
  const newest = candidates.find(({ timeline }) => timeline === highest)
  return newest && highest >= (timelines[newest.system] ?? 0) ? newest : undefined
}

const chosen = ({ host, system, timeline }: Candidate) =>
  ({ kind: 'chosen', host, position: { system, timeline } }) as const

const outdated = ({ host, system, timeline }: Candidate, { timelines }: Seen): string =>
  `${host} writes on timeline ${timeline}, but timeline ${timelines[system]} of this cluster (${system}) has been used: it is an old primary`

const foreign = ({ host, system }: Candidate, member: HostAnswer): string =>
  `${host} serves another cluster (${system}), while ${member.host} of the known one (${member.system}) responds`
