// Blindly estimates the common phase of the slots, and the alignment at which they have it (SPEC.md 9.7).
//
// The transmitted phase is continuous and each tone has a whole number of periods in a slot, so at the true alignment
// every slot begins with the same phase. A time error tau rotates a tone at f by 2 pi f tau; a frequency error rotates
// all tones equally, and more from slot to slot; a speed error does both. The estimate is the alignment at which the
// tones, derotated and weighted by their probability, have the largest coherent sum. It is exact to microseconds.
import { BASE_BINS, SLOTS, TONES } from '../constants.ts'
import { type Alignment, AXES } from './alignment.ts'
import { BASEBAND_RATE, CENTRE_BIN, SLOT_LENGTH } from './baseband.ts'
import type { Slots } from './demodulate.ts'
import { FourierTransform } from './fft.ts'
import { KNOWN_TONES, parabolaPeak } from './slots.ts'

/** Tones with a smaller probability in their slot are left out of the sum. */
const MIN_WEIGHT = 0.02

/** The grid of alignment errors to search. */
export interface PhaseGrid {
  /** Steps of TIME_STEP and SPEED_STEP either way. */
  times: number
  speeds: number
  /** Maximum frequency error [Hz]; a Fourier transform over the slots covers all errors up to it. */
  hertz: number
}

/** [baseband samples] */
const TIME_STEP = 1.6
/** As a fraction of the current speed. */
const SPEED_STEP = 4e-5
/** Around an alignment that was found noncoherently. */
export const WIDE: PhaseGrid = { times: 28, speeds: 24, hertz: 2.5 }
/** Around an alignment at which a frame was decoded. */
export const NARROW: PhaseGrid = { times: 8, speeds: 6, hertz: 0.5 }
/** Covers any error that may remain: for a second attempt. */
export const WIDEST: PhaseGrid = { times: 40, speeds: 36, hertz: 2.5 }
/** The transform over the slots is zero-padded to this length. */
const TRANSFORM_LENGTH = 512

/** The terms of the coherent sum: slot, FFT bin (0 at the band centre), and amplitude times probability of a tone. */
interface Terms {
  slot: number[]
  bin: number[]
  real: number[]
  imag: number[]
  /** Probability of the tone. */
  weight: number[]
}

/** Steps of the parabolic interpolation, one entry per round; the speed is relative. */
const POLISH: readonly Alignment[] = [
  { time: 0.5, speed: 1.5e-5, offset: 0.01 },
  { time: 0.25, speed: 8e-6, offset: 0.005 },
  { time: 0.12, speed: 4e-6, offset: 0.003 },
]

const STEPS = 4096
const COS = Float64Array.from({ length: STEPS }, (_, i) => Math.cos((2 * Math.PI * i) / STEPS))
const SIN = Float64Array.from({ length: STEPS }, (_, i) => Math.sin((2 * Math.PI * i) / STEPS))

/** The tones of a transmission's slots at an alignment, with their likelihoods. */
export interface WeightedTones {
  alignment: Alignment
  /** Amplitudes in units of the noise. */
  tones: Slots
  /** Log-likelihood ratios of the tones against noise, at [slot * 128 + tone]. */
  ratios: Float32Array
  /** Probability that the signal is absent, per slot. */
  absent: Float64Array
}

/** Returns the alignment within the range of `grid` that maximizes the coherent sum. */
export function lockPhase(weighted: WeightedTones, grid: PhaseGrid): Alignment {
  const { alignment } = weighted
  const terms = likelyTones(weighted)
  return corrected(
    alignment,
    polish(terms, gridSearch(terms, grid, alignment.speed), alignment.speed),
  )
}

/** Refines an alignment that is within a fraction of a turn. */
export function polishPhase(weighted: WeightedTones): Alignment {
  const { alignment } = weighted
  const here = { time: 0, speed: 0, offset: 0 }
  return corrected(alignment, polish(likelyTones(weighted), here, alignment.speed))
}

function corrected(alignment: Alignment, error: Alignment): Alignment {
  return {
    time: alignment.time + error.time,
    speed: alignment.speed * (1 + error.speed),
    offset: alignment.offset + error.offset,
  }
}

/**
 * Adds the tones coherently.
 * @returns the common phase [radians], if the alignment is the true one; the coherence, 1 for equal phases and near 0 for
 *   random ones; the amplitude of the tones sent, in units of the noise
 */
export function agreement(weighted: WeightedTones) {
  const { real, imag, weight } = likelyTones(weighted)
  const [x, y] = [sumOf(real), sumOf(imag)]
  const total = real.reduce((sum, part, i) => sum + Math.hypot(part, imag[i]!), 0)
  const sum = Math.hypot(x, y)
  const count = weight.reduce((sum, part) => sum + part * part, 0)
  return {
    phase: Math.atan2(y, x),
    coherence: total > 0 ? sum / total : 0,
    amplitude: count > 0 ? sum / count : 0,
  }
}

function likelyTones({ tones: { real, imag }, ratios, absent }: WeightedTones): Terms {
  const terms: Terms = { slot: [], bin: [], real: [], imag: [], weight: [] }
  const weights = new Float64Array(TONES)
  for (let slot = 0; slot < SLOTS; slot++) {
    toneProbabilities(ratios, slot, absent[slot]!, weights)
    for (let tone = 0; tone < TONES; tone++) {
      if (weights[tone]! < MIN_WEIGHT) continue
      const at = slot * TONES + tone
      terms.slot.push(slot)
      terms.bin.push(BASE_BINS[slot & 1]! + tone - CENTRE_BIN)
      terms.real.push(real[at]! * weights[tone]!)
      terms.imag.push(imag[at]! * weights[tone]!)
      terms.weight.push(weights[tone]!)
    }
  }
  return terms
}

/** Fills `probabilities` with the posterior probability of each tone of a slot, times that of presence. */
function toneProbabilities(
  ratios: Float32Array,
  slot: number,
  absent: number,
  probabilities: Float64Array,
): void {
  const row = slot * TONES
  const known = KNOWN_TONES[slot]!
  if (known >= 0) {
    probabilities.fill(0)
    probabilities[known] = 1 - absent
    return
  }
  let top = 0
  for (let tone = 0; tone < TONES; tone++) top = Math.max(top, ratios[row + tone]!)
  let sum = 0
  for (let tone = 0; tone < TONES; tone++) {
    probabilities[tone] = Math.exp(ratios[row + tone]! - top)
    sum += probabilities[tone]!
  }
  for (let tone = 0; tone < TONES; tone++) probabilities[tone]! *= (1 - absent) / sum
}

/** Searches a grid of errors in time and relative speed, and in frequency by a transform over the slots. */
function gridSearch(terms: Terms, grid: PhaseGrid, speed: number): Alignment {
  const transform = new FourierTransform(TRANSFORM_LENGTH)
  const hertzPerBin = (BASEBAND_RATE * speed) / SLOT_LENGTH / TRANSFORM_LENGTH
  const reach = Math.ceil(grid.hertz / hertzPerBin)
  let best = { time: 0, speed: 0, offset: 0 }
  let most = 0
  for (let i = -grid.speeds; i <= grid.speeds; i++) {
    for (let j = -grid.times; j <= grid.times; j++) {
      const error = { time: j * TIME_STEP, speed: i * SPEED_STEP, offset: 0 }
      sumBySlot(transform, terms, error, speed)
      transform.run()
      for (let k = -reach; k <= reach; k++) {
        const bin = (k + TRANSFORM_LENGTH) % TRANSFORM_LENGTH
        const power = transform.real[bin]! ** 2 + transform.imag[bin]! ** 2
        if (power <= most) continue
        most = power
        best = { ...error, offset: k * hertzPerBin }
      }
    }
  }
  return best
}

/** Loads the transform with the sum of each slot's terms, derotated for errors of time and speed. */
function sumBySlot(transform: FourierTransform, terms: Terms, error: Alignment, speed: number) {
  const [real, imag] = [transform.real.fill(0), transform.imag.fill(0)]
  for (let i = 0; i < terms.slot.length; i++) {
    const slot = terms.slot[i]!
    const at = tableIndex(-turns(slot, terms.bin[i]!, error, speed))
    real[slot]! += terms.real[i]! * COS[at]! - terms.imag[i]! * SIN[at]!
    imag[slot]! += terms.real[i]! * SIN[at]! + terms.imag[i]! * COS[at]!
  }
}

/** Returns the rotation of a tone at `bin` in a slot by an alignment error [turns]. */
export function turns(
  slot: number,
  bin: number,
  { time, speed: relative, offset }: Alignment,
  speed: number,
): number {
  const fromMiddle = ((slot + 0.5 - SLOTS / 2) * SLOT_LENGTH) / speed
  const late = time - relative * fromMiddle
  return (-speed * bin * late) / SLOT_LENGTH + (offset * fromMiddle) / BASEBAND_RATE
}

/** Refines an error along each axis in turn by parabolic interpolation of the power. */
function polish(terms: Terms, from: Alignment, speed: number): Alignment {
  let best = from
  for (const step of POLISH) {
    for (const axis of AXES) {
      const powerAt = (by: number) => powerOf(terms, { ...best, [axis]: best[axis] + by }, speed)
      const [below, here, above] = [powerAt(-step[axis]), powerAt(0), powerAt(step[axis])]
      const peak = parabolaPeak(below, here, above)
      best = { ...best, [axis]: best[axis] + Math.max(-1, Math.min(1, peak)) * step[axis] }
    }
  }
  return best
}

function powerOf(terms: Terms, error: Alignment, speed: number): number {
  let real = 0
  let imag = 0
  for (let i = 0; i < terms.slot.length; i++) {
    const at = tableIndex(-turns(terms.slot[i]!, terms.bin[i]!, error, speed))
    real += terms.real[i]! * COS[at]! - terms.imag[i]! * SIN[at]!
    imag += terms.real[i]! * SIN[at]! + terms.imag[i]! * COS[at]!
  }
  return real ** 2 + imag ** 2
}

function tableIndex(angle: number): number {
  return Math.floor((angle - Math.floor(angle)) * STEPS) & (STEPS - 1)
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
