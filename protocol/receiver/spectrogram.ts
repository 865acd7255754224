// The baseband as power over time and frequency, in units of its own noise (SPEC.md 9.2).
import { CENTRE_BIN, type Signal } from './baseband.ts'
import { FourierTransform } from './fft.ts'
import { Selector } from './select.ts'

/** Baseband samples of a slot at speed 1, and of the step from one frame to the next. */
export const SLOT_LENGTH = 512
export const HOP = 64
/** Columns are half tone units apart, from tone unit FIRST_BIN on, evenly about the band's centre. */
export const FIRST_BIN = 44
export const COLUMNS = 4 * (CENTRE_BIN - FIRST_BIN) + 1
/** The strongest cell of a frame is at most this far above the noise floor, or a clean file would blind the search. */
const CEILING = 50
/** Frames whose power is below this part of the loudest tenth are silence and tell nothing of the noise. */
const SILENCE = 1e-5
/** At most this many frames are looked at for the noise of a column. */
const NOISE_FRAMES = 400
/** Every so manieth column is looked at for the noise of a frame. */
const COLUMN_STEP = 4

/** Power in units of the noise: cell (frame, column) at [frame * COLUMNS + column]. */
export interface Spectrogram {
  power: Float32Array
  frames: number
}

/** The spectrogram of `signal`: frame f covers its samples 64 f to 64 f + 511. */
export function spectrogram(signal: Signal): Spectrogram {
  const frames = Math.max(Math.floor((signal.length - SLOT_LENGTH) / HOP) + 1, 0)
  const power = new Float32Array(frames * COLUMNS)
  for (let frame = 0; frame < frames; frame++) transformFrame(signal, frame, power)
  normaliseColumns(power, frames)
  normaliseFrames(power, frames)
  return { power, frames }
}

const transform = new FourierTransform(SLOT_LENGTH)
const HALF_BIN_COS = Float64Array.from({ length: SLOT_LENGTH }, (_, i) =>
  Math.cos((Math.PI * i) / SLOT_LENGTH),
)
const HALF_BIN_SIN = Float64Array.from(
  { length: SLOT_LENGTH },
  (_, i) => -Math.sin((Math.PI * i) / SLOT_LENGTH),
)

/** Even columns are the bins of the plain transform, odd ones those of the signal turned down by half a bin. */
function transformFrame(signal: Signal, frame: number, power: Float32Array): void {
  const from = frame * HOP
  const [real, imag] = [transform.real, transform.imag]
  for (let i = 0; i < SLOT_LENGTH; i++) {
    real[i] = signal.real[from + i]!
    imag[i] = signal.imag[from + i]!
  }
  transform.run()
  storeBins(power, frame * COLUMNS, 0)
  const [turnedReal, turnedImag] = [transform.real, transform.imag]
  for (let i = 0; i < SLOT_LENGTH; i++) {
    const [x, y] = [signal.real[from + i]!, signal.imag[from + i]!]
    turnedReal[i] = x * HALF_BIN_COS[i]! - y * HALF_BIN_SIN[i]!
    turnedImag[i] = x * HALF_BIN_SIN[i]! + y * HALF_BIN_COS[i]!
  }
  transform.run()
  storeBins(power, frame * COLUMNS, 1)
}

function storeBins(power: Float32Array, row: number, odd: number): void {
  const [real, imag] = [transform.real, transform.imag]
  for (let column = odd; column < COLUMNS; column += 2) {
    const bin = (FIRST_BIN - CENTRE_BIN + (column >> 1)) & (SLOT_LENGTH - 1)
    power[row + column] = real[bin]! ** 2 + imag[bin]! ** 2
  }
}

/** Divides each column by its noise: median / ln 2 over the frames that are not silent, but not below the floor. */
function normaliseColumns(power: Float32Array, frames: number): void {
  const peaks = Float64Array.from({ length: frames }, (_, frame) => peakOf(power, frame))
  const strong = quantile(peaks, 0.9)
  const heard = Array.from(peaks.keys()).filter((frame) => peaks[frame]! > strong * SILENCE)
  if (heard.length === 0) return
  const step = Math.ceil(heard.length / NOISE_FRAMES)
  const sampled = heard.filter((_, i) => i % step === 0)
  const selector = new Selector(sampled.length)
  const values = new Float64Array(sampled.length)
  for (let column = 0; column < COLUMNS; column++) {
    for (let i = 0; i < sampled.length; i++) values[i] = power[sampled[i]! * COLUMNS + column]!
    const noise = selector.valueAtRank(values, values.length, values.length >> 1) / Math.LN2
    const scale = 1 / Math.max(noise, strong / CEILING)
    for (let at = column; at < power.length; at += COLUMNS) power[at]! *= scale
  }
}

/** Divides each frame that is noisier than the rest (a click, a louder stretch) by its own noise. */
function normaliseFrames(power: Float32Array, frames: number): void {
  const values = new Float64Array(Math.ceil(COLUMNS / COLUMN_STEP))
  const selector = new Selector(values.length)
  for (let frame = 0; frame < frames; frame++) {
    const row = frame * COLUMNS
    for (let i = 0; i < values.length; i++) values[i] = power[row + i * COLUMN_STEP]!
    const noise = selector.valueAtRank(values, values.length, values.length >> 1) / Math.LN2
    if (noise <= 1) continue
    for (let at = row; at < row + COLUMNS; at++) power[at]! /= noise
  }
}

function peakOf(power: Float32Array, frame: number): number {
  let peak = 0
  for (let at = frame * COLUMNS; at < (frame + 1) * COLUMNS; at++)
    if (power[at]! > peak) peak = power[at]!
  return peak
}

function quantile(values: Float64Array, part: number): number {
  if (values.length === 0) return 0
  const rank = Math.floor(part * (values.length - 1))
  return new Selector(values.length).valueAtRank(values, values.length, rank)
}
