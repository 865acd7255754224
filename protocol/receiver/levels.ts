// Estimates the noise density of each tone and the energy of the signal (SPEC.md 9.5).
import { SLOTS, TONES } from '../constants.ts'
import { powerAt, type Slots } from './demodulate.ts'
import { Selector } from './select.ts'
import { evidenceOf, noiseOfMedian, slotLikelihood } from './slots.ts'
import { ToneModel } from './tone-model.ts'

/** The noise of a tone is smoothed over this many neighbours on either side. */
const SMOOTHING_REACH = 2
/** Noise this far above its neighbourhood [ln] is a whistle, which must not be smoothed away. */
export const WHISTLE_EXCESS = 0.5
/** Floor of the noise as a fraction of the median peak, so that clean recordings are not divided by almost nothing. */
export const MIN_NOISE = 1 / 150
/** Prior probability that a slot is erased. It bounds how strongly one slot can count against an alignment. */
export const SLOT_ERASURE = 0.02
/** Number of slot energies tried, in units of the noise density: powers of ENERGY_STEP, from 1 to 215. */
const ENERGIES = 28
export const ENERGY_STEP = 1.22

/**
 * Fills `power` with the powers of the tones in units of the noise, at [slot * 128 + tone].
 * @param every slot step: 1 for all slots, SYNC_PERIOD for the sync slots only
 */
export function relativePower(
  slots: Slots,
  noise: Float64Array,
  power: Float32Array,
  every = 1,
): void {
  for (let slot = 0; slot < SLOTS; slot += every) {
    const parity = (slot & 1) * TONES
    for (let tone = 0, at = slot * TONES; tone < TONES; tone++, at++) {
      power[at] = powerAt(slots, at) / noise[parity + tone]!
    }
  }
}

/** Divides all amplitudes by the noise amplitude of their tone, in place. */
export function whiten({ real, imag }: Slots, noise: Float64Array): void {
  for (let at = 0; at < real.length; at++) {
    const scale = 1 / Math.sqrt(noise[at % (2 * TONES)]!)
    real[at]! *= scale
    imag[at]! *= scale
  }
}

/**
 * Returns the noise power of each tone in even and odd slots, at [parity * 128 + tone]: median / ln 2 over the recorded
 * slots, at least the floor, smoothed over neighbouring tones.
 */
export function estimateNoise(slots: Slots): Float64Array {
  const noise = new Float64Array(2 * TONES)
  const floor = MIN_NOISE * medianPeak(slots)
  for (const parity of [0, 1]) {
    const recorded = recordedSlots(slots).filter((slot) => (slot & 1) === parity)
    const values = new Float64Array(recorded.length)
    const selector = new Selector(Math.max(recorded.length, 1))
    const logs = Float64Array.from({ length: TONES }, (_, tone) => {
      for (let i = 0; i < recorded.length; i++)
        values[i] = powerAt(slots, recorded[i]! * TONES + tone)
      const noise = noiseOfMedian(selector.median(values))
      return Math.log(Math.max(noise, floor, Number.MIN_VALUE))
    })
    for (let tone = 0; tone < TONES; tone++) {
      const near = logs.subarray(Math.max(0, tone - SMOOTHING_REACH), tone + SMOOTHING_REACH + 1)
      const smooth = near.reduce((sum, log) => sum + log, 0) / near.length
      const isWhistle = logs[tone]! > smooth + WHISTLE_EXCESS
      noise[parity * TONES + tone] = Math.exp(isWhistle ? logs[tone]! : smooth)
    }
  }
  return noise
}

/** Estimates the energy of a signal; caches the tables of the energies tried. */
export class EnergyEstimator {
  readonly #models: (ToneModel | undefined)[] = new Array(ENERGIES)

  /** Returns the tone model of the energy that maximizes the likelihood of all slots, for unknown data. */
  estimate(slots: Slots, power: Float32Array): ToneModel {
    const scores = new Map<number, number>()
    const scoreAt = (i: number): number => {
      const score = scores.get(i) ?? slotsScore(slots, power, this.#modelAt(i))
      scores.set(i, score)
      return score
    }
    let best = 0
    for (let i = 0; i < ENERGIES; i += 4) if (scoreAt(i) > scoreAt(best)) best = i
    for (const step of [2, 1]) {
      const near = [best - step, best + step].filter((i) => i >= 0 && i < ENERGIES)
      for (const i of near) if (scoreAt(i) > scoreAt(best)) best = i
    }
    return this.#modelAt(best)
  }

  #modelAt(i: number): ToneModel {
    this.#models[i] ??= new ToneModel(ENERGY_STEP ** i)
    return this.#models[i]
  }
}

/**
 * Returns the log-likelihood ratio of the recorded slots against noise, for unknown data.
 * @param every as for `relativePower`
 */
export function slotsScore(slots: Slots, power: Float32Array, model: ToneModel, every = 1): number {
  const likelihoods = new Float64Array(TONES)
  let score = 0
  for (let slot = 0; slot < SLOTS; slot += every) {
    if (slots.recorded[slot] === 0) continue
    for (let tone = 0; tone < TONES; tone++) {
      likelihoods[tone] = model.likelihood(power[slot * TONES + tone]!)
    }
    score += evidenceOf(slotLikelihood(likelihoods, slot), SLOT_ERASURE)
  }
  return score
}

function medianPeak(slots: Slots): number {
  const recorded = recordedSlots(slots)
  const peaks = Float64Array.from(recorded, (slot) => {
    let peak = 0
    for (let at = slot * TONES; at < (slot + 1) * TONES; at++)
      peak = Math.max(peak, powerAt(slots, at))
    return peak
  })
  return peaks.length === 0 ? 0 : peaks.sort()[peaks.length >> 1]!
}

function recordedSlots(slots: Slots): number[] {
  return Array.from(slots.recorded.keys()).filter((slot) => slots.recorded[slot] === 1)
}
