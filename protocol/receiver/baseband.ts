// Converts samples at any rate to the complex baseband of the transmission: 4800 Hz, band centre at 0 Hz (SPEC.md 9.1).
import { TONE_SPACING } from '../constants.ts'
import { KERNEL_REACH, kernel } from './kernel.ts'

export const BASEBAND_RATE = 4800
/** The band centre in tone units: 171 * 9.375 Hz = 1603.125 Hz, which becomes 0 Hz. */
export const CENTRE_BIN = 171
export const CENTRE_FREQUENCY = CENTRE_BIN * TONE_SPACING
/** Length of a slot at speed 1 [baseband samples]: 512, whole periods of every tone and of the oscillator. */
export const SLOT_LENGTH = BASEBAND_RATE / TONE_SPACING
/** Maximum number of polyphase branches; for rates that would need more, times are rounded to the nearest branch. */
const MAX_PHASES = 1024

/** Complex samples at BASEBAND_RATE; sample 0 lies at `start` samples after the beginning of the recording. */
export interface Signal {
  real: Float32Array
  imag: Float32Array
  length: number
  start: number
}

/** Converts one channel block by block; its output is buffered until dropped. */
export class Baseband {
  readonly #rate: number
  readonly #taps: number
  readonly #phases: number
  readonly #filterReal: Float32Array
  readonly #filterImag: Float32Array
  #pending: Float32Array
  #pendingStart: number
  #real = new Float32Array(1 << 16)
  #imag = new Float32Array(1 << 16)
  #start = 0
  #end = 0

  /** @param rate of the input [Hz], an integer */
  constructor(rate: number) {
    this.#rate = rate
    this.#taps = 2 * Math.ceil((KERNEL_REACH * rate) / BASEBAND_RATE)
    this.#phases = Math.min(BASEBAND_RATE / greatestCommonDivisor(rate, BASEBAND_RATE), MAX_PHASES)
    this.#filterReal = new Float32Array((this.#phases + 1) * this.#taps)
    this.#filterImag = new Float32Array((this.#phases + 1) * this.#taps)
    this.#tabulateFilter()
    this.#pendingStart = -this.#taps
    this.#pending = new Float32Array(this.#taps)
  }

  /** The buffered output. The arrays are not copies and are valid until the next push or drop. */
  get signal(): Signal {
    return {
      real: this.#real,
      imag: this.#imag,
      length: this.#end - this.#start,
      start: this.#start,
    }
  }

  /** Receives the next samples of the recording, at any scale. */
  push(samples: Float32Array): void {
    const joined = new Float32Array(this.#pending.length + samples.length)
    joined.set(this.#pending)
    joined.set(samples, this.#pending.length)
    this.#pending = joined
    const inputEnd = this.#pendingStart + joined.length
    const last = Math.floor(((inputEnd - this.#taps / 2 - 1) * BASEBAND_RATE) / this.#rate)
    this.#reserve(last + 1)
    while (this.#end <= last) this.#filterOne(this.#end++)
    this.#dropInput()
  }

  /** Ends the recording, flushing the filter with silence. */
  finish(): void {
    this.push(new Float32Array(this.#taps))
  }

  /** Discards the output before `start` [baseband samples from the beginning of the recording]. */
  drop(start: number): void {
    const shift = Math.min(Math.max(start - this.#start, 0), this.#end - this.#start)
    this.#real.copyWithin(0, shift, this.#end - this.#start)
    this.#imag.copyWithin(0, shift, this.#end - this.#start)
    this.#start += shift
  }

  #filterOne(n: number): void {
    const scaled = n * this.#rate
    const whole = Math.floor(scaled / BASEBAND_RATE)
    const phase = Math.round(((scaled - whole * BASEBAND_RATE) * this.#phases) / BASEBAND_RATE)
    const taps = this.#taps
    let from = whole - taps / 2 + 1 - this.#pendingStart
    const pending = this.#pending
    const [filterReal, filterImag] = [this.#filterReal, this.#filterImag]
    let real = 0
    let imag = 0
    for (let j = phase * taps; j < (phase + 1) * taps; j++) {
      const sample = pending[from++]!
      real += sample * filterReal[j]!
      imag += sample * filterImag[j]!
    }
    const angle = (n * CENTRE_BIN) % SLOT_LENGTH
    const cos = OSCILLATOR_COS[angle]!
    const sin = OSCILLATOR_SIN[angle]!
    this.#real[n - this.#start] = real * cos - imag * sin
    this.#imag[n - this.#start] = real * sin + imag * cos
  }

  /** Tabulates the polyphase band-pass: tap j applies to the input sample taps/2 - 1 - j before the output's time. */
  #tabulateFilter(): void {
    const scale = BASEBAND_RATE / this.#rate
    for (let phase = 0; phase <= this.#phases; phase++) {
      for (let j = 0; j < this.#taps; j++) {
        const lag = phase / this.#phases + this.#taps / 2 - 1 - j
        const gain = 2 * scale * kernel(lag * scale)
        const angle = (2 * Math.PI * CENTRE_FREQUENCY * lag) / this.#rate
        this.#filterReal[phase * this.#taps + j] = gain * Math.cos(angle)
        this.#filterImag[phase * this.#taps + j] = gain * Math.sin(angle)
      }
    }
  }

  #reserve(end: number): void {
    const needed = end - this.#start
    if (needed <= this.#real.length) return
    const length = Math.max(needed, Math.ceil(1.5 * this.#real.length))
    const [real, imag] = [new Float32Array(length), new Float32Array(length)]
    real.set(this.#real.subarray(0, this.#end - this.#start))
    imag.set(this.#imag.subarray(0, this.#end - this.#start))
    this.#real = real
    this.#imag = imag
  }

  #dropInput(): void {
    const next = Math.floor((this.#end * this.#rate) / BASEBAND_RATE) - this.#taps / 2 + 1
    const unused = Math.max(next - this.#pendingStart, 0)
    this.#pending = this.#pending.slice(unused)
    this.#pendingStart += unused
  }
}

const OSCILLATOR_COS = oscillator(Math.cos)
const OSCILLATOR_SIN = oscillator((angle) => -Math.sin(angle))

function oscillator(part: (angle: number) => number): Float64Array {
  return Float64Array.from({ length: SLOT_LENGTH }, (_, i) => part((2 * Math.PI * i) / SLOT_LENGTH))
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
