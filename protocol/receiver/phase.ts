// The phase that all slots share, found without knowing their tones, and what the tones say once it is known (SPEC.md 9.7).
//
// The sender's phase runs on without a jump and each tone has whole periods in a slot, so that at the true place every
// slot begins with the same phase. An error of time tau turns a tone at f by 2 pi f tau, one of frequency turns all tones
// alike and more from slot to slot, one of speed does both. The place at which the turned tones, each weighed by how likely it is,
// add up highest is exact to microseconds; with it a tone of the wrong phase is known to be noise.

import { BASE_BINS, SLOTS, SYNC_PERIOD, SYNC_TONES, TONES } from '../constants.ts'
import { BASEBAND_RATE, CENTRE_BIN } from './baseband.ts'
import type { Slots } from './demodulate.ts'
import { FourierTransform } from './fft.ts'
import type { Middle } from './placement.ts'
import { SLOT_LENGTH } from './spectrogram.ts'

/** Tones less likely than this in their slot are left out. */
const LEAST_WEIGHT = 0.02
/** Errors of time that are tried, in baseband samples: steps either way, and their width. */
const TIMES = { count: 15, step: 1.6 }
/** Errors of speed that are tried. */
const SPEEDS = { count: 20, step: 4e-5 }
/** Errors of frequency come from a transform over the slots, padded to this length, and are at most this many Hz. */
const TRANSFORM_LENGTH = 512
const MOST_HERTZ = 1.5

/** Likely tones: slot, tone units from the middle of the band, amplitude (in units of the noise) times probability. */
interface Terms {
  slot: number[]
  bin: number[]
  real: number[]
  imag: number[]
}

/** An error of the place: baseband samples at mid-transmission, relative speed, Hz at mid-band. */
interface PlaceError {
  time: number
  speed: number
  offset: number
}

/** Widths of the parabolas laid through three powers. */
const POLISH: readonly PlaceError[] = [
  { time: 0.5, speed: 1.5e-5, offset: 0.01 },
  { time: 0.25, speed: 8e-6, offset: 0.005 },
  { time: 0.12, speed: 4e-6, offset: 0.003 },
]
const AXES = ['time', 'offset', 'speed'] as const

const transform = new FourierTransform(TRANSFORM_LENGTH)
const STEPS = 4096
const COS = Float64Array.from({ length: STEPS }, (_, i) => Math.cos((2 * Math.PI * i) / STEPS))
const SIN = Float64Array.from({ length: STEPS }, (_, i) => Math.sin((2 * Math.PI * i) / STEPS))

/**
 * The place at which the slots agree best in phase, near the one at which they were demodulated.
 * @param tones amplitudes in units of the noise; @param ratios ln of the tones' likelihood ratios without phase
 */
export function lockPhase(
  tones: Slots,
  ratios: Float32Array,
  absent: Float64Array,
  middle: Middle,
): Middle {
  const terms = likelyTones(tones, ratios, absent)
  const error = polish(terms, coarse(terms, middle.speed), middle.speed)
  return {
    time: middle.time + error.time,
    speed: middle.speed * (1 + error.speed),
    offset: middle.offset + error.offset,
  }
}

/** The phase in radians that the tones at the true place share, each weighed by how likely it is. */
export function commonPhase(tones: Slots, ratios: Float32Array, absent: Float64Array): number {
  const terms = likelyTones(tones, ratios, absent)
  return Math.atan2(sumOf(terms.imag), sumOf(terms.real))
}

function likelyTones({ real, imag }: Slots, ratios: Float32Array, absent: Float64Array): Terms {
  const terms: Terms = { slot: [], bin: [], real: [], imag: [] }
  for (let slot = 0; slot < SLOTS; slot++) {
    const weights = toneProbabilities(ratios, slot, absent[slot]!)
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

const probabilities = new Float64Array(TONES)

/** How likely each tone of a slot is to have been sent and received. */
function toneProbabilities(ratios: Float32Array, slot: number, absent: number): Float64Array {
  const row = slot * TONES
  if (slot % SYNC_PERIOD === 0) {
    probabilities.fill(0)
    probabilities[SYNC_TONES[slot / SYNC_PERIOD]!] = 1 - absent
    return probabilities
  }
  let top = 0
  for (let tone = 0; tone < TONES; tone++) top = Math.max(top, ratios[row + tone]!)
  let sum = 0
  for (let tone = 0; tone < TONES; tone++) {
    probabilities[tone] = Math.exp(ratios[row + tone]! - top)
    sum += probabilities[tone]!
  }
  for (let tone = 0; tone < TONES; tone++) probabilities[tone]! *= (1 - absent) / sum
  return probabilities
}

/** The best of a grid of errors in time and speed, that in frequency by a transform over the slots. */
function coarse(terms: Terms, speed: number): PlaceError {
  const hertzPerBin = (BASEBAND_RATE * speed) / SLOT_LENGTH / TRANSFORM_LENGTH
  const reach = Math.ceil(MOST_HERTZ / hertzPerBin)
  let best = { time: 0, speed: 0, offset: 0 }
  let most = 0
  for (let i = -SPEEDS.count; i <= SPEEDS.count; i++) {
    for (let j = -TIMES.count; j <= TIMES.count; j++) {
      const error = { time: j * TIMES.step, speed: i * SPEEDS.step, offset: 0 }
      sumBySlot(terms, error, speed)
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
function sumBySlot(terms: Terms, error: PlaceError, speed: number): void {
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
  { time, speed: relative, offset }: PlaceError,
  speed: number,
): number {
  const fromMiddle = ((slot + 0.5 - SLOTS / 2) * SLOT_LENGTH) / speed
  const late = time - relative * fromMiddle
  return (-speed * bin * late) / SLOT_LENGTH + (offset * fromMiddle) / BASEBAND_RATE
}

/** Climbs from one error to the top near it along each axis by turns. */
function polish(terms: Terms, from: PlaceError, speed: number): PlaceError {
  let best = from
  for (const width of POLISH) {
    for (const axis of AXES) {
      const powerAt = (by: number) => powerOf(terms, { ...best, [axis]: best[axis] + by }, speed)
      const [below, here, above] = [powerAt(-width[axis]), powerAt(0), powerAt(width[axis])]
      const curvature = below + above - 2 * here
      const step = curvature < 0 ? (below - above) / 2 / curvature : Math.sign(above - below)
      best = { ...best, [axis]: best[axis] + Math.max(-1, Math.min(1, step)) * width[axis] }
    }
  }
  return best
}

function powerOf(terms: Terms, error: PlaceError, speed: number): number {
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
