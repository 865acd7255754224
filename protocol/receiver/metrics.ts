// What the tones say about the labels of the code, gaps in the recording allowed for (SPEC.md 9.5 and 9.6).
import { CODE_LENGTH, SLOTS, TONES } from '../constants.ts'
import { POSITION_SLOTS } from '../interleave.ts'
import { toneLabel } from '../labels.ts'
import { logBesselI0, tabledLogBesselI0 } from './bessel.ts'
import type { Slots } from './demodulate.ts'
import { Selector } from './select.ts'
import { noiseOfMedian, slotLikelihood } from './slots.ts'
import { toneRatio } from './tone-model.ts'

/** From this factor on a slot counts as noisier than the rest. */
export const NOISIER = 1.3
/** Probabilities per slot that a present signal disappears, and that an absent one returns. */
export const LEAVES = 0.0025
export const RETURNS = 0.01
/** The evidence of one slot for or against its own presence is at most this (ln). */
export const MOST_EVIDENCE = 8
/** The least probability of absence: a slot may always be spoilt. */
export const LEAST_ABSENCE = 1e-4
/** Ratios (ln) are cut off here, so that their exponentials stay finite. */
const LARGEST_RATIO = 300

/** By how much each slot is noisier than the rest: 1 unless it stands out, as the median of 128 tones varies by 12 %. */
export function slotNoise(power: Float32Array): Float64Array {
  const selector = new Selector(TONES)
  const values = new Float64Array(TONES)
  return Float64Array.from({ length: SLOTS }, (_, slot) => {
    for (let tone = 0; tone < TONES; tone++) values[tone] = power[slot * TONES + tone]!
    const noise = noiseOfMedian(selector.median(values))
    return noise > NOISIER ? noise : 1
  })
}

/** ln of the likelihood ratio of each tone with the signal's energy against none; noisier slots count for less. */
export function toneRatios(
  power: Float32Array,
  noise: Float64Array,
  energy: number,
  ratios: Float32Array,
): void {
  for (let at = 0; at < power.length; at++) {
    const own = noise[Math.floor(at / TONES)]!
    ratios[at] = toneRatio(energy / own, power[at]! / own)
  }
}

/**
 * The same where the tones share a phase that is known to some degree.
 * @param tones amplitudes in units of the noise
 * @param phase the common phase [radians]
 * @param firmness how well it is known: the parameter of a von Mises distribution about it, 0 for not at all
 */
export function phasedToneRatios(
  tones: Slots,
  noise: Float64Array,
  energy: number,
  phase: number,
  firmness: number,
  ratios: Float32Array,
): void {
  const priorReal = firmness * Math.cos(phase)
  const priorImag = firmness * Math.sin(phase)
  const base = logBesselI0(firmness)
  for (let at = 0; at < ratios.length; at++) {
    const own = noise[Math.floor(at / TONES)]!
    const gain = (2 * Math.sqrt(energy)) / own
    const real = gain * tones.real[at]! + priorReal
    const imag = gain * tones.imag[at]! + priorImag
    ratios[at] = tabledLogBesselI0(Math.sqrt(real * real + imag * imag)) - base - energy / own
  }
}

/** ln of the likelihood ratio of all heard slots against noise, no slot counting for more than a factor of e^8. */
export function totalEvidence(ratios: Float32Array, heard: Uint8Array): number {
  const presence = presenceEvidence(ratios, heard)
  return presence.reduce((total, evidence) => total + evidence, 0)
}

/**
 * The probability of each slot that the signal is absent from it, by the forward-backward algorithm over a chain of two
 * states; `ratios` are the log-likelihood ratios of the tones, and slots that are not `heard` are absent.
 */
export function absence(ratios: Float32Array, heard: Uint8Array): Float64Array {
  const evidence = presenceEvidence(ratios, heard).map((presence, slot) =>
    heard[slot] === 0 ? 0 : Math.exp(presence),
  )
  const oddsAfter = new Float64Array(SLOTS).fill(1)
  for (let slot = SLOTS - 2; slot >= 0; slot--) {
    const seen = evidence[slot + 1]! * oddsAfter[slot + 1]!
    oddsAfter[slot] = ((1 - LEAVES) * seen + LEAVES) / (RETURNS * seen + 1 - RETURNS)
  }
  const absent = new Float64Array(SLOTS)
  let present = RETURNS / (RETURNS + LEAVES)
  for (let slot = 0; slot < SLOTS; slot++) {
    const expected = present * (1 - LEAVES) + (1 - present) * RETURNS
    const seen = expected * evidence[slot]!
    present = seen / (seen + 1 - expected)
    const odds = (seen / (1 - expected)) * oddsAfter[slot]!
    absent[slot] = Math.max(1 / (1 + odds), LEAST_ABSENCE)
  }
  return absent
}

/** ln of the likelihood ratio of each slot against noise, bounded; 0 where nothing is heard. */
function presenceEvidence(ratios: Float32Array, heard: Uint8Array): Float64Array {
  const likelihoods = new Float64Array(TONES)
  return Float64Array.from({ length: SLOTS }, (_, slot) => {
    if (heard[slot] === 0) return 0
    for (let tone = 0; tone < TONES; tone++) {
      likelihoods[tone] = Math.exp(Math.min(ratios[slot * TONES + tone]!, LARGEST_RATIO))
    }
    const evidence = Math.log(slotLikelihood(likelihoods, slot))
    return Math.min(Math.max(evidence, -MOST_EVIDENCE), MOST_EVIDENCE)
  })
}

/** Log-likelihoods of the labels at [position * 128 + label], bounded by each slot's probability of absence. */
export function labelMetrics(
  ratios: Float32Array,
  absent: Float64Array,
  metrics: Float32Array,
): void {
  for (let i = 0; i < CODE_LENGTH; i++) {
    const slot = POSITION_SLOTS[i]!
    const doubt = absent[slot]!
    for (let tone = 0; tone < TONES; tone++) {
      const ratio = Math.min(ratios[slot * TONES + tone]!, LARGEST_RATIO)
      metrics[i * TONES + toneLabel(tone, i)] = Math.log(doubt + (1 - doubt) * Math.exp(ratio))
    }
  }
}
