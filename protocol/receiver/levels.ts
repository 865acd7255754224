// How strong the signal is and how strong the noise, by tone and by slot (SPEC.md 9.5).
import { SLOTS, TONES } from '../constants.ts'
import { powerAt, type Slots } from './demodulate.ts'
import { Selector } from './select.ts'
import { evidenceOf, noiseOfMedian, slotLikelihood } from './slots.ts'
import { ToneModel } from './tone-model.ts'

/** The noise of a tone is averaged over this many neighbours on either side. */
const NEIGHBOURS = 2
/** Noise this far above its neighbours [ln] is a whistle: do not smooth it away. */
export const STANDS_OUT = 0.5
/** The noise is at least this part of the median peak: a clean recording would otherwise be divided by nearly nothing. */
export const LEAST_NOISE = 1 / 150
/** Part of the slots that are taken to be spoilt, which bounds how much a single slot can say. */
export const SPOILT_SLOT = 0.02
/** Energies of a slot that are tried, in units of the noise density: this many powers of the step, from 1 to 215. */
const ENERGIES = 28
export const ENERGY_STEP = 1.22

/**
 * Fills `power` with that of the tones in units of the noise, at [slot * 128 + tone].
 * @param every the step from slot to slot: 1 for all of them, SYNC_PERIOD for the sync slots alone
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

/** Divides all amplitudes by those of the noise, in place. */
export function whiten({ real, imag }: Slots, noise: Float64Array): void {
  for (let at = 0; at < real.length; at++) {
    const scale = 1 / Math.sqrt(noise[at % (2 * TONES)]!)
    real[at]! *= scale
    imag[at]! *= scale
  }
}

/**
 * The noise power of each tone in even and odd slots, at [parity * 128 + tone]: median / ln 2 over the heard slots, smoothed
 * over neighbouring tones, not below the floor.
 */
export function estimateNoise(slots: Slots): Float64Array {
  const noise = new Float64Array(2 * TONES)
  const floor = LEAST_NOISE * medianPeak(slots)
  for (const parity of [0, 1]) {
    const heard = heardSlots(slots).filter((slot) => (slot & 1) === parity)
    const values = new Float64Array(heard.length)
    const selector = new Selector(Math.max(heard.length, 1))
    const logs = Float64Array.from({ length: TONES }, (_, tone) => {
      for (let i = 0; i < heard.length; i++) values[i] = powerAt(slots, heard[i]! * TONES + tone)
      const noise = noiseOfMedian(selector.median(values))
      return Math.log(Math.max(noise, floor, Number.MIN_VALUE))
    })
    for (let tone = 0; tone < TONES; tone++) {
      const near = logs.subarray(Math.max(0, tone - NEIGHBOURS), tone + NEIGHBOURS + 1)
      const smooth = near.reduce((sum, log) => sum + log, 0) / near.length
      const standsOut = logs[tone]! > smooth + STANDS_OUT
      noise[parity * TONES + tone] = Math.exp(standsOut ? logs[tone]! : smooth)
    }
  }
  return noise
}

/** Finds the energy of a signal; keeps the tables that it has made. */
export class EnergyEstimator {
  readonly #models: (ToneModel | undefined)[] = new Array(ENERGIES)

  /** The signal energy that makes the powers of all slots likeliest, the data being unknown; as its model. */
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
 * ln of the likelihood ratio of the heard slots against noise, the data being unknown.
 * @param every as for `relativePower`
 */
export function slotsScore(slots: Slots, power: Float32Array, model: ToneModel, every = 1): number {
  const likelihoods = new Float64Array(TONES)
  let score = 0
  for (let slot = 0; slot < SLOTS; slot += every) {
    if (slots.heard[slot] === 0) continue
    for (let tone = 0; tone < TONES; tone++) {
      likelihoods[tone] = model.likelihood(power[slot * TONES + tone]!)
    }
    score += evidenceOf(slotLikelihood(likelihoods, slot), SPOILT_SLOT)
  }
  return score
}

function medianPeak(slots: Slots): number {
  const heard = heardSlots(slots)
  const peaks = Float64Array.from(heard, (slot) => {
    let peak = 0
    for (let at = slot * TONES; at < (slot + 1) * TONES; at++)
      peak = Math.max(peak, powerAt(slots, at))
    return peak
  })
  return peaks.length === 0 ? 0 : peaks.sort()[peaks.length >> 1]!
}

function heardSlots(slots: Slots): number[] {
  return Array.from(slots.heard.keys()).filter((slot) => slots.heard[slot] === 1)
}
