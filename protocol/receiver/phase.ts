// The phase that all slots share, and the place at which they share it, without knowing their tones (SPEC.md 9.7).
//
// The sender's phase runs on without a jump and each tone has whole periods in a slot, so that at the true place every
// slot begins with the same phase. An error of time tau turns a tone at f by 2 pi f tau, one of frequency turns all tones
// alike and more from slot to slot, one of speed does both. The place is where the tones, turned back and weighed by how
// likely each is, add up to the largest sum. It is exact to microseconds, and a tone of another phase is then noise.

import { BASE_BINS, SLOTS, TONES } from '../constants.ts'
import { BASEBAND_RATE, CENTRE_BIN, SLOT_LENGTH } from './baseband.ts'
import type { Slots } from './demodulate.ts'
import { FourierTransform } from './fft.ts'
import { AXES, type Place } from './place.ts'
import { KNOWN_TONES, parabolaTop } from './slots.ts'

/** Tones less likely than this in their slot are left out. */
const LEAST_WEIGHT = 0.02

/** Errors of the place that are tried. */
export interface PhaseGrid {
  /** Steps either way, of TIME_STEP and of SPEED_STEP. */
  times: number
  speeds: number
  /** The largest error of frequency [Hz]; all below it are tried by a transform over the slots. */
  hertz: number
}

/** [baseband samples] */
const TIME_STEP = 1.6
/** A part of the present speed. */
const SPEED_STEP = 4e-5
/** Around a place that was found without the phase. */
export const WIDE: PhaseGrid = { times: 28, speeds: 24, hertz: 2.5 }
/** Around a place whose tones have been read: what is likely, and what is possible. */
export const NARROW: PhaseGrid = { times: 8, speeds: 6, hertz: 0.5 }
export const WIDEST: PhaseGrid = { times: 40, speeds: 36, hertz: 2.5 }
/** The transform over the slots is padded to this length. */
const TRANSFORM_LENGTH = 512

/** Likely tones: slot, tone units from the middle of the band, amplitude (in units of the noise) times probability. */
interface Terms {
  slot: number[]
  bin: number[]
  real: number[]
  imag: number[]
}

/** Widths of the parabolas through three powers, round by round; the speed is relative. */
const POLISH: readonly Place[] = [
  { time: 0.5, speed: 1.5e-5, offset: 0.01 },
  { time: 0.25, speed: 8e-6, offset: 0.005 },
  { time: 0.12, speed: 4e-6, offset: 0.003 },
]

const STEPS = 4096
const COS = Float64Array.from({ length: STEPS }, (_, i) => Math.cos((2 * Math.PI * i) / STEPS))
const SIN = Float64Array.from({ length: STEPS }, (_, i) => Math.sin((2 * Math.PI * i) / STEPS))

/** The tones of a transmission's slots at a place, and how likely each is. */
export interface WeighedTones {
  place: Place
  /** Amplitudes in units of the noise. */
  tones: Slots
  /** ln of the likelihood ratios of the tones against noise, at [slot * 128 + tone]. */
  ratios: Float32Array
  /** The probability of each slot that it holds nothing. */
  absent: Float64Array
}

/** The place within the range of `grid` at which the slots agree best in phase. */
export function lockPhase(weighed: WeighedTones, grid: PhaseGrid): Place {
  const { place } = weighed
  const terms = likelyTones(weighed)
  return corrected(place, polish(terms, coarse(terms, grid, place.speed), place.speed))
}

/** The same within a fraction of a turn, for a place that is nearly right. */
export function polishPhase(weighed: WeighedTones): Place {
  const { place } = weighed
  const here = { time: 0, speed: 0, offset: 0 }
  return corrected(place, polish(likelyTones(weighed), here, place.speed))
}

function corrected(place: Place, error: Place): Place {
  return {
    time: place.time + error.time,
    speed: place.speed * (1 + error.speed),
    offset: place.offset + error.offset,
  }
}

/** What the tones, each weighed by how likely it is, agree on. */
export interface Agreement {
  /** The phase in radians that they share at the true place. */
  phase: number
  /** How much of their amplitudes adds up: 1 for tones that are all alike, near 0 for those without a common phase. */
  coherence: number
}

export function agreement(weighed: WeighedTones): Agreement {
  const { real, imag } = likelyTones(weighed)
  const [x, y] = [sumOf(real), sumOf(imag)]
  const total = real.reduce((sum, part, i) => sum + Math.hypot(part, imag[i]!), 0)
  return { phase: Math.atan2(y, x), coherence: total > 0 ? Math.hypot(x, y) / total : 0 }
}

function likelyTones({ tones: { real, imag }, ratios, absent }: WeighedTones): Terms {
  const terms: Terms = { slot: [], bin: [], real: [], imag: [] }
  const weights = new Float64Array(TONES)
  for (let slot = 0; slot < SLOTS; slot++) {
    toneProbabilities(ratios, slot, absent[slot]!, weights)
    for (let tone = 0; tone < TONES; tone++) {
      if (weights[tone]! < LEAST_WEIGHT) continue
      const at = slot * TONES + tone
      terms.slot.push(slot)
      terms.bin.push(BASE_BINS[slot & 1]! + tone - CENTRE_BIN)
      terms.real.push(real[at]! * weights[tone]!)
      terms.imag.push(imag[at]! * weights[tone]!)
    }
  }
  return terms
}

/** Fills `probabilities` with how likely each tone of a slot is to have been sent and received. */
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

/** The best of a grid of errors in time and relative speed; that in frequency comes out of a transform over the slots. */
function coarse(terms: Terms, grid: PhaseGrid, speed: number): Place {
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

/** Writes into the transform the sum of each slot's terms, turned back as errors of time and speed turn them. */
function sumBySlot(transform: FourierTransform, terms: Terms, error: Place, speed: number): void {
  const [real, imag] = [transform.real.fill(0), transform.imag.fill(0)]
  for (let i = 0; i < terms.slot.length; i++) {
    const slot = terms.slot[i]!
    const at = tableIndex(-turns(slot, terms.bin[i]!, error, speed))
    real[slot]! += terms.real[i]! * COS[at]! - terms.imag[i]! * SIN[at]!
    imag[slot]! += terms.real[i]! * SIN[at]! + terms.imag[i]! * COS[at]!
  }
}

/** By how many turns an error of the place turns a tone at `bin` in a slot. */
function turns(
  slot: number,
  bin: number,
  { time, speed: relative, offset }: Place,
  speed: number,
): number {
  const fromMiddle = ((slot + 0.5 - SLOTS / 2) * SLOT_LENGTH) / speed
  const late = time - relative * fromMiddle
  return (-speed * bin * late) / SLOT_LENGTH + (offset * fromMiddle) / BASEBAND_RATE
}

/** Climbs from one error to the top near it along each axis by turns. */
function polish(terms: Terms, from: Place, speed: number): Place {
  let best = from
  for (const width of POLISH) {
    for (const axis of AXES) {
      const powerAt = (by: number) => powerOf(terms, { ...best, [axis]: best[axis] + by }, speed)
      const [below, here, above] = [powerAt(-width[axis]), powerAt(0), powerAt(width[axis])]
      const top = parabolaTop(below, here, above)
      best = { ...best, [axis]: best[axis] + Math.max(-1, Math.min(1, top)) * width[axis] }
    }
  }
  return best
}

function powerOf(terms: Terms, error: Place, speed: number): number {
  let real = 0
  let imag = 0
  for (let i = 0; i < terms.slot.length; i++) {
    const at = tableIndex(-turns(terms.slot[i]!, terms.bin[i]!, error, speed))
    real += terms.real[i]! * COS[at]! - terms.imag[i]! * SIN[at]!
    imag += terms.real[i]! * SIN[at]! + terms.imag[i]! * COS[at]!
  }
  return real ** 2 + imag ** 2
}

function tableIndex(turned: number): number {
  return Math.floor((turned - Math.floor(turned)) * STEPS) & (STEPS - 1)
}

function sumOf(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0)
}
