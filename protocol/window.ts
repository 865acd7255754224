// All transmissions in one stretch of a recording (SPEC.md 9.2 to 9.9).
import { align, blindScore } from './align.ts'
import type { Signal } from './baseband.ts'
import { mixtures } from './channels.ts'
import { type Diagnostics, diagnose } from './diagnostics.ts'
import { encodeTones } from './encode.ts'
import type { DayFields } from './frame.ts'
import { lengthOf, type Placement } from './placement.ts'
import { type Read, Recoverer, type Recovery } from './recover.ts'
import { type Candidate, FULL_RANGE, search } from './search.ts'
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
  /** Which rule the frame breaks, when its checksum held. */
  invalid: string | null
}

export interface Findings {
  transmissions: Transmission[]
  failures: Failure[]
}

/** Sync hits that are looked at with all slots, and of these the ones that go to the receiver proper. */
const HITS = 32
const ATTEMPTS = 6
/** Candidates with a lower score (ln) against noise are not followed. */
const LEAST_SCORE = -25

const recoverer = new Recoverer()

/** What lies in `channels`, which are of equal length; `accepts` says which places belong to this stretch. */
export function searchWindow(
  channels: readonly Signal[],
  accepts: (placement: Placement) => boolean,
): Findings {
  const findings: Findings = { transmissions: [], failures: [] }
  for (const signal of mixtures(channels)) {
    searchSignal(signal, accepts, findings)
    if (findings.transmissions.length > 0) break
  }
  return findings
}

function searchSignal(
  signal: Signal,
  accepts: (placement: Placement) => boolean,
  findings: Findings,
): void {
  const cells = spectrogram(signal)
  const taken: Placement[] = []
  let attempts = 0
  for (const candidate of promising(cells, search(cells, FULL_RANGE, HITS))) {
    if (attempts >= ATTEMPTS) break
    const from = placementOf(align(cells, candidate), signal)
    if (!accepts(from) || taken.some((other) => overlap(from, other))) continue
    attempts++
    const recovery = recoverer.recover(signal, from)
    const { outcome, placement } = recovery
    if (outcome.kind === 'frame') {
      findings.transmissions.push(transmissionOf(recovery, outcome))
      attempts = 0
    } else if (outcome.kind !== 'nothing') {
      const invalid = outcome.kind === 'invalid' ? outcome.message : null
      findings.failures.push({ placement, inside: insidePart(placement, signal), invalid })
    }
    if (outcome.kind === 'frame' || outcome.kind === 'invalid') taken.push(placement)
  }
}

function promising(cells: Spectrogram, hits: Candidate[]): Candidate[] {
  return hits
    .map((hit) => ({ ...hit, score: blindScore(cells, hit) }))
    .filter((hit) => hit.score > LEAST_SCORE)
    .sort((a, b) => b.score - a.score)
}

function placementOf({ frame, speed, shift }: Candidate, signal: Signal): Placement {
  return { start: signal.start + frame * HOP, speed, shift }
}

function transmissionOf({ placement }: Recovery, { frame, fields, list }: Read): Transmission {
  const tones = encodeTones(frame)
  const { tones: slots, absent } = recoverer
  return { fields, frame, diagnostics: diagnose(placement, slots, absent, tones, list) }
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
