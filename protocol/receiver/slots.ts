// Likelihood arithmetic shared by the stages of the receiver (SPEC.md 9.3 to 9.7).
import { SLOTS, SYNC_TONES, TONES } from '../constants.ts'
import { SYNC_SLOTS } from '../interleave.ts'

/** KNOWN_TONES[p] is the sync tone of slot p, or -1 if the slot carries data. */
export const KNOWN_TONES: Int8Array = knownTones()

function knownTones(): Int8Array {
  const tones = new Int8Array(SLOTS).fill(-1)
  for (const [k, slot] of SYNC_SLOTS.entries()) tones[slot] = SYNC_TONES[k]!
  return tones
}

/** Returns the likelihood ratio of a slot: that of its sync tone or, in a data slot, the mean over all 128 tones. */
export function slotLikelihood(toneLikelihoods: Float64Array, slot: number): number {
  const known = KNOWN_TONES[slot]!
  if (known >= 0) return toneLikelihoods[known]!
  let sum = 0
  for (let tone = 0; tone < TONES; tone++) sum += toneLikelihoods[tone]!
  return sum / TONES
}

/** Returns the log-likelihood ratio of a slot that contains none of the signal with probability `erasure`. */
export function evidenceOf(likelihood: number, erasure: number): number {
  return Math.log(erasure + (1 - erasure) * likelihood)
}

/** Returns the mean power of noise from its median, as noise power is exponentially distributed. */
export function noiseOfMedian(median: number): number {
  return median / Math.LN2
}

/**
 * Returns the position of the maximum of the parabola through three equidistant values, in steps from the middle one;
 * if it has no maximum, an infinity towards the higher side.
 */
export function parabolaPeak(below: number, here: number, above: number): number {
  const curvature = below + above - 2 * here
  if (curvature < 0) return (below - above) / 2 / curvature
  return above > below ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
}
