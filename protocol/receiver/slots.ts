// The arithmetic that every stage applies to the slots of a transmission (SPEC.md 9.3 to 9.7).
import { SLOTS, SYNC_TONES, TONES } from '../constants.ts'
import { SYNC_SLOTS } from '../sync.ts'

/** KNOWN_TONES[p] is the sync tone of slot p, -1 where the slot carries data. */
export const KNOWN_TONES: Int8Array = knownTones()

function knownTones(): Int8Array {
  const tones = new Int8Array(SLOTS).fill(-1)
  for (const [k, slot] of SYNC_SLOTS.entries()) tones[slot] = SYNC_TONES[k]!
  return tones
}

/** The likelihood ratio of a slot from those of its 128 tones: that of its known tone, else the mean over all. */
export function slotLikelihood(toneLikelihoods: Float64Array, slot: number): number {
  const known = KNOWN_TONES[slot]!
  if (known >= 0) return toneLikelihoods[known]!
  let sum = 0
  for (let tone = 0; tone < TONES; tone++) sum += toneLikelihoods[tone]!
  return sum / TONES
}

/** ln of the likelihood ratio of a slot that with probability `spoilt` holds nothing of the signal. */
export function evidenceOf(likelihood: number, spoilt: number): number {
  return Math.log(spoilt + (1 - spoilt) * likelihood)
}

/** The mean of noise power that has this median: the power of noise is exponentially distributed. */
export function noiseOfMedian(median: number): number {
  return median / Math.LN2
}

/**
 * Where the parabola through three values, one step apart, has its top, in steps from the middle one. Without a top it
 * is infinitely far on the higher side.
 */
export function parabolaTop(below: number, here: number, above: number): number {
  const curvature = below + above - 2 * here
  if (curvature < 0) return (below - above) / 2 / curvature
  return above > below ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
}
