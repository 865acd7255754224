// All transmissions in one stretch of a recording (SPEC.md 9.2 to 9.9).

import { encodeTones } from '../encode.ts'
import type { DayFields } from '../frame.ts'
import { align, alignExhaustively, type Scored, scoreSlots, withSpeed } from './align.ts'
import type { Signal } from './baseband.ts'
import { mixtures } from './channels.ts'
import { type Diagnostics, diagnose } from './diagnostics.ts'
import { lengthOf, type Placement } from './placement.ts'
import { type Read, Recoverer, type Recovery } from './recover.ts'
import {
  type Candidate,
  FULL_RANGE,
  INVERTED_RANGE,
  MISTUNED_RANGE,
  search,
  syncEvidence,
} from './search.ts'
import { HOP, SLOT_LENGTH, type Spectrogram, spectrogram } from './spectrogram.ts'

/** A transmission that was read. */
export interface Transmission {
  fields: DayFields
  /** The 106 bytes. */
  frame: Uint8Array
  diagnostics: Diagnostics
}

/** A place at which something like a transmission was found that could not be read. */
export interface Failure {
  placement: Placement
  /** Part of the transmission that lies within the recording. */
  inside: number
  /** ln of the likelihood ratio of its slots against noise. */
  evidence: number
  /** Which rule the frame breaks, when its checksum held. */
  invalid: string | null
}

export interface Findings {
  transmissions: Transmission[]
  failures: Failure[]
}

/** Sync hits that are looked at with all slots. */
const HITS = 32
/** Candidates with a lower score (ln) against noise are not followed. */
const LEAST_SCORE = -25
const LEAST_ALIGNED_SCORE = -10
/** Nor those with less sync evidence; a transmission at its limit has 18. */
const LEAST_SYNC = 6

/** What is searched for, the likely before the unlikely; the first that gives a transmission ends the search. */
const RANGES = [FULL_RANGE, MISTUNED_RANGE, INVERTED_RANGE]
/** Candidates that a pass may follow in vain. */
const ATTEMPTS = 3
/** Sync evidence (ln) that noise and ghosts do not reach: what is found there is a transmission, readable or not. */
const CERTAIN_SYNC = 20
/** Sync evidence that makes it worth looking more than once, and the speeds to look at then, besides the likeliest. */
const POSSIBLE_SYNC = 12
const OTHER_SPEEDS = [5e-4, -5e-4, 1e-3, -1e-3]

const recoverer = new Recoverer()

/** What lies in `channels`, which are of equal length; `accepts` says which places belong to this stretch. */
export function searchWindow(
  channels: readonly Signal[],
  accepts: (placement: Placement) => boolean,
): Findings {
  const findings: Findings = { transmissions: [], failures: [] }
  for (const signal of mixtures(channels)) {
    const cells = spectrogram(signal)
    const evidence = syncEvidence(cells)
    for (const range of RANGES) {
      const hits = promising(cells, search(evidence, range, HITS))
      followCandidates(range.inverted ? mirrored(signal) : signal, cells, hits, accepts, findings)
      if (findings.transmissions.length > 0) return findings
      if (findings.failures.length > 0) break
    }
  }
  return findings
}

function followCandidates(
  signal: Signal,
  cells: Spectrogram,
  candidates: Scored[],
  accepts: (placement: Placement) => boolean,
  findings: Findings,
): void {
  const taken: Placement[] = []
  let attempts = 0
  for (const candidate of candidates) {
    const isTaken = taken.some((other) => overlap(placementOf(candidate, signal), other))
    if (isTaken || candidate.sync < LEAST_SYNC) continue
    const aligned = align(cells, candidate)
    if (aligned.score < LEAST_ALIGNED_SCORE || !accepts(placementOf(aligned, signal))) continue
    if (attempts === ATTEMPTS) return
    const { outcome, placement, evidence } = recoverFrom(signal, cells, candidate, aligned)
    if (outcome.kind === 'frame') {
      findings.transmissions.push(transmissionOf(placement, outcome, aligned.inverted))
      taken.push(placement)
      continue
    }
    attempts++
    const invalid = outcome.kind === 'invalid' ? outcome.message : null
    if (outcome.kind === 'nothing' || (aligned.sync < CERTAIN_SYNC && invalid === null)) continue
    findings.failures.push({ placement, inside: insidePart(placement, signal), evidence, invalid })
    taken.push(placement)
  }
}

/** Follows a candidate, from several places near it if it looks like a transmission and the first leads nowhere. */
function recoverFrom(
  signal: Signal,
  cells: Spectrogram,
  candidate: Candidate,
  aligned: Scored,
): Recovery {
  let best = recoverer.recover(signal, placementOf(aligned, signal))
  if (aligned.sync < POSSIBLE_SYNC || best.evidence < 0) return best
  for (const start of otherStarts(cells, candidate, aligned)) {
    if (best.settled || best.outcome.kind === 'frame' || best.outcome.kind === 'invalid') break
    const next = recoverer.recover(signal, placementOf(start, signal))
    if (next.outcome.kind === 'frame' || next.evidence > best.evidence) best = next
  }
  return best
}

function* otherStarts(
  cells: Spectrogram,
  candidate: Candidate,
  aligned: Scored,
): Generator<Candidate> {
  for (const by of OTHER_SPEEDS) yield withSpeed(aligned, aligned.speed + by)
  yield alignExhaustively(cells, candidate)
}

/** The hits that all slots together do not speak against too loudly, the best first. */
function promising(cells: Spectrogram, hits: Candidate[]): Scored[] {
  return hits
    .map((hit) => scoreSlots(cells, hit))
    .filter((hit) => hit.score > LEAST_SCORE)
    .sort((a, b) => b.rank - a.rank)
}

/** The signal with its spectrum turned round about the middle of the band. */
function mirrored(signal: Signal): Signal {
  return { ...signal, imag: signal.imag.map((sample) => -sample) }
}

function placementOf({ frame, speed, shift }: Candidate, signal: Signal): Placement {
  return { start: signal.start + frame * HOP, speed, shift }
}

function transmissionOf(placement: Placement, read: Read, inverted: boolean): Transmission {
  const { tones, absent } = recoverer
  const { fields, frame, list } = read
  const measured = diagnose(placement, tones, absent, encodeTones(frame))
  return { fields, frame, diagnostics: { ...measured, inverted, list } }
}

/** Whether two transmissions at these places would lie on one another by more than their fades. */
function overlap(a: Placement, b: Placement): boolean {
  const [earlier, later] = a.start < b.start ? [a, b] : [b, a]
  return later.start < earlier.start + lengthOf(earlier) - SLOT_LENGTH
}

function insidePart(placement: Placement, signal: Signal): number {
  const from = Math.max(placement.start, signal.start)
  const to = Math.min(placement.start + lengthOf(placement), signal.start + signal.length)
  return Math.max(to - from, 0) / lengthOf(placement)
}
