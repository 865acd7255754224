// Computes the label metrics of the decoder from the tones, allowing for gaps in the recording (SPEC.md 9.5 to 9.7).
import { CODE_LENGTH, SLOTS, TONES } from '../constants.ts'
import { POSITION_SLOTS } from '../interleave.ts'
import { toneLabel } from '../labels.ts'
import { logBesselI0, tabulatedLogBesselI0 } from './bessel.ts'
import type { Slots } from './demodulate.ts'
import { Selector } from './select.ts'
import { noiseOfMedian, slotLikelihood } from './slots.ts'
import { toneRatio } from './tone-model.ts'

/** A slot counts as noisier than the rest above this factor. */
export const NOISY_SLOT = 1.3
/** Transition probabilities per slot: from present to absent, and from absent to present. */
export const TO_ABSENT = 0.0025
export const TO_PRESENT = 0.01
/** Bound on the evidence of one slot for or against the presence of the signal [ln]. */
export const MAX_SLOT_EVIDENCE = 8
/** Lower bound on the probability of absence, as any slot may be corrupted. */
export const MIN_ABSENCE = 1e-4
/** Log-likelihood ratios are clipped here so that their exponentials stay finite. */
const MAX_RATIO = 300

/** Returns the relative noise of each slot; 1 up to NOISY_SLOT, as the median of 128 tones scatters by 12 %. */
export function slotNoise(power: Float32Array): Float64Array {
  const selector = new Selector(TONES)
  const values = new Float64Array(TONES)
  return Float64Array.from({ length: SLOTS }, (_, slot) => {
    for (let tone = 0; tone < TONES; tone++) values[tone] = power[slot * TONES + tone]!
    const noise = noiseOfMedian(selector.median(values))
    return noise > NOISY_SLOT ? noise : 1
  })
}

/** Fills `ratios` with the noncoherent log-likelihood ratio of each tone; noisier slots count for less. */
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
 * Fills `ratios` with the log-likelihood ratio of each tone, given an estimate of the common phase.
 * @param tones amplitudes in units of the noise
 * @param phase the common phase [radians]
 * @param concentration of a von Mises distribution of the true phase about `phase`; 0 if nothing is known of it
 */
export function phasedToneRatios(
  tones: Slots,
  noise: Float64Array,
  energy: number,
  phase: number,
  concentration: number,
  ratios: Float32Array,
): void {
  const priorReal = concentration * Math.cos(phase)
  const priorImag = concentration * Math.sin(phase)
  const base = logBesselI0(concentration)
  for (let at = 0; at < ratios.length; at++) {
    const own = noise[Math.floor(at / TONES)]!
    const gain = (2 * Math.sqrt(energy)) / own
    const real = gain * tones.real[at]! + priorReal
    const imag = gain * tones.imag[at]! + priorImag
    ratios[at] = tabulatedLogBesselI0(Math.sqrt(real * real + imag * imag)) - base - energy / own
  }
}

/** Returns the log-likelihood ratio of all recorded slots against noise, each slot limited to a factor of e^8. */
export function totalEvidence(ratios: Float32Array, recorded: Uint8Array): number {
  const presence = presenceEvidence(ratios, recorded)
  return presence.reduce((total, evidence) => total + evidence, 0)
}

/**
 * Returns the posterior probability that the signal is absent from each slot, by the forward-backward algorithm over
 * a two-state Markov chain. `ratios` are the tones' log-likelihood ratios; slots not `recorded` are absent.
 */
export function absence(ratios: Float32Array, recorded: Uint8Array): Float64Array {
  const evidence = presenceEvidence(ratios, recorded).map((presence, slot) =>
    recorded[slot] === 0 ? 0 : Math.exp(presence),
  )
  const oddsAfter = new Float64Array(SLOTS).fill(1)
  for (let slot = SLOTS - 2; slot >= 0; slot--) {
    const seen = evidence[slot + 1]! * oddsAfter[slot + 1]!
    oddsAfter[slot] = ((1 - TO_ABSENT) * seen + TO_ABSENT) / (TO_PRESENT * seen + 1 - TO_PRESENT)
  }
  const absent = new Float64Array(SLOTS)
  let present = TO_PRESENT / (TO_PRESENT + TO_ABSENT)
  for (let slot = 0; slot < SLOTS; slot++) {
    const expected = present * (1 - TO_ABSENT) + (1 - present) * TO_PRESENT
    const seen = expected * evidence[slot]!
    present = seen / (seen + 1 - expected)
    const odds = (seen / (1 - expected)) * oddsAfter[slot]!
    absent[slot] = Math.max(1 / (1 + odds), MIN_ABSENCE)
  }
  return absent
}

/** Returns the bounded log-likelihood ratio of each slot against noise, 0 for slots that are not recorded. */
function presenceEvidence(ratios: Float32Array, recorded: Uint8Array): Float64Array {
  const likelihoods = new Float64Array(TONES)
  return Float64Array.from({ length: SLOTS }, (_, slot) => {
    if (recorded[slot] === 0) return 0
    for (let tone = 0; tone < TONES; tone++) {
      likelihoods[tone] = Math.exp(Math.min(ratios[slot * TONES + tone]!, MAX_RATIO))
    }
    const evidence = Math.log(slotLikelihood(likelihoods, slot))
    return Math.min(Math.max(evidence, -MAX_SLOT_EVIDENCE), MAX_SLOT_EVIDENCE)
  })
}

/** Fills `metrics` with label log-likelihoods at [position * 128 + label], bounded by the slots' absence. */
export function labelMetrics(
  ratios: Float32Array,
  absent: Float64Array,
  metrics: Float32Array,
): void {
  for (let i = 0; i < CODE_LENGTH; i++) {
    const slot = POSITION_SLOTS[i]!
    const doubt = absent[slot]!
    for (let tone = 0; tone < TONES; tone++) {
      const ratio = Math.min(ratios[slot * TONES + tone]!, MAX_RATIO)
      metrics[i * TONES + toneLabel(tone, i)] = Math.log(doubt + (1 - doubt) * Math.exp(ratio))
    }
  }
}
