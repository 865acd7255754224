// How strong the signal is and how strong the noise, by tone and by slot (SPEC.md 9.5).
import { SLOTS, SYNC_PERIOD, SYNC_TONES, TONES } from '../constants.ts'
import type { Slots } from './demodulate.ts'
import { Selector } from './select.ts'
import { ToneModel } from './tone-model.ts'

/** The noise of a tone is averaged over this many neighbours on either side. */
const NEIGHBOURS = 2
/** A tone that is noisier (ln) than its surroundings by this much is whistled at: no averaging there. */
const STANDS_OUT = 0.5
/** The noise is taken to be at least this part of the median peak, or a clean recording divides by nearly nothing. */
const LEAST_NOISE = 1 / 150
/** Signal energies that are tried: a slot's, in units of the noise density. */
const MODELS = Array.from({ length: 28 }, (_, i) => new ToneModel(1.22 ** i))

/** Powers of all tones in units of the noise, at [slot * 128 + tone]. */
export function relativePower(slots: Slots, noise: Float64Array, power: Float32Array): void {
  for (let at = 0; at < power.length; at++) {
    power[at] = (slots.real[at]! ** 2 + slots.imag[at]! ** 2) / noise[at % (2 * TONES)]!
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
 * The noise power of each tone in even and odd slots, at [parity * 128 + tone]: median / ln 2 over the heard slots, smoothed over
 * neighbouring tones, not below the floor.
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
      const median = selector.valueAtRank(values, values.length, values.length >> 1)
      return Math.log(Math.max(median / Math.LN2, floor, Number.MIN_VALUE))
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

/** The signal energy that makes the powers of all slots likeliest, the data being unknown; as its model. */
export function estimateEnergy(slots: Slots, power: Float32Array): ToneModel {
  let best = MODELS[0]!
  let bestScore = Number.NEGATIVE_INFINITY
  for (const model of MODELS) {
    const score = slotsScore(slots, power, model)
    if (score <= bestScore) continue
    best = model
    bestScore = score
  }
  return best
}

/** ln of the likelihood ratio of all heard slots against noise, the data being unknown. */
export function slotsScore(slots: Slots, power: Float32Array, model: ToneModel): number {
  let score = 0
  for (let slot = 0; slot < SLOTS; slot++) {
    if (slots.heard[slot] === 0) continue
    score += model.boundedEvidence(slotLikelihood(power, slot, model))
  }
  return score
}

/** The likelihood ratio of one slot: of its known tone, or the mean over all tones. */
export function slotLikelihood(power: Float32Array, slot: number, model: ToneModel): number {
  const row = slot * TONES
  if (slot % SYNC_PERIOD === 0) {
    return model.likelihood(power[row + SYNC_TONES[slot / SYNC_PERIOD]!]!)
  }
  let sum = 0
  for (let at = row; at < row + TONES; at++) sum += model.likelihood(power[at]!)
  return sum / TONES
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

function powerAt(slots: Slots, at: number): number {
  return slots.real[at]! ** 2 + slots.imag[at]! ** 2
}
