// The evidence of one spectrogram cell for a tone: likelihood ratios tabulated over its power (SPEC.md 9.3).
import { logBesselI0 } from './bessel.ts'
import { evidenceOf } from './slots.ts'

/** Es/N0 for which the search is tuned: that of a signal at the decoding limit, less the loss of the grid. */
export const TUNED_ENERGY = 3.5
/** Prior probability that a slot is erased, lost or swamped. Bounds how strongly one cell can count against a hit. */
export const CELL_ERASURE = 0.1
/** Evidence [ln] above which the excess counts a tenth: a few strong cells must not make up for many empty ones. */
export const KNEE = 6
/** The tables cover powers in steps of 1 / STEPS up to LIMIT; higher powers count as LIMIT. */
const STEPS = 64
const LIMIT = 64

const LIKELIHOOD = Float32Array.from({ length: STEPS * LIMIT + 1 }, (_, i) =>
  Math.exp(logBesselI0(2 * Math.sqrt((TUNED_ENERGY * i) / STEPS)) - TUNED_ENERGY),
)
const EVIDENCE = LIKELIHOOD.map((ratio) => compressed(evidenceOf(ratio, CELL_ERASURE)))

function compressed(evidence: number): number {
  return evidence < KNEE ? evidence : KNEE + (evidence - KNEE) / 10
}

/** Returns the likelihood ratio, with a tone against without, of a cell's power [units of the noise]. */
export function toneLikelihood(power: number): number {
  return LIKELIHOOD[power >= LIMIT ? STEPS * LIMIT : (power * STEPS) | 0]!
}

/** Returns the evidence of a cell where a tone is expected, compressed above KNEE. */
export function toneEvidence(power: number): number {
  return EVIDENCE[power >= LIMIT ? STEPS * LIMIT : (power * STEPS) | 0]!
}
