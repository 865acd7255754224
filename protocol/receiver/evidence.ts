// What one cell of the spectrogram says for and against a tone there (SPEC.md 9.3).
import { logBesselI0 } from './bessel.ts'
import { evidenceOf } from './slots.ts'

/** Energy of a tone over noise density at which the search is tuned: a signal at its limit, less what the grid loses. */
export const TUNED_ENERGY = 3.5
/** How likely a slot is taken to be missing or spoilt, whatever is heard: no cell speaks against more than this. */
export const SPOILT_CELL = 0.1
/** Evidence (ln) beyond which more counts for a tenth: a few strong cells must not make up for many empty ones. */
export const KNEE = 6
/** Cell powers are tabled in steps of 1 / STEPS up to LIMIT, and count as LIMIT beyond. */
const STEPS = 64
const LIMIT = 64

const LIKELIHOOD = Float32Array.from({ length: STEPS * LIMIT + 1 }, (_, i) =>
  Math.exp(logBesselI0(2 * Math.sqrt((TUNED_ENERGY * i) / STEPS)) - TUNED_ENERGY),
)
const EVIDENCE = LIKELIHOOD.map((ratio) => compressed(evidenceOf(ratio, SPOILT_CELL)))

function compressed(evidence: number): number {
  return evidence < KNEE ? evidence : KNEE + (evidence - KNEE) / 10
}

/** The likelihood of a cell's power (in units of the noise) with a tone, over that without. */
export function toneLikelihood(power: number): number {
  return LIKELIHOOD[power >= LIMIT ? STEPS * LIMIT : (power * STEPS) | 0]!
}

/** The evidence of a cell at which a tone is known to be due, compressed where it is overwhelming. */
export function toneEvidence(power: number): number {
  return EVIDENCE[power >= LIMIT ? STEPS * LIMIT : (power * STEPS) | 0]!
}
