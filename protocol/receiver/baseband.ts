// From samples at any rate to the band of the transmission alone: complex, 4800 Hz, band centre at 0 (SPEC.md 9.1).
import { TONE_SPACING } from '../constants.ts'
import { KERNEL_REACH, kernel } from './kernel.ts'

export const BASEBAND_RATE = 4800
/** The middle of the band in tone units: 171 * 9.375 Hz = 1603.125 Hz becomes 0 Hz. */
export const CENTRE_BIN = 171
export const CENTRE_FREQUENCY = CENTRE_BIN * TONE_SPACING
/** Baseband samples of a slot at speed 1: 512, in which each tone, and the mixing oscillator, has whole periods. */
export const SLOT_LENGTH = BASEBAND_RATE / TONE_SPACING
/** Positions between two input samples that the filter is tabled at, when the rates share no smaller grid. */
const FINEST_PHASES = 1024

/** Complex samples at BASEBAND_RATE; sample 0 lies at `start` samples after the beginning of the recording. */
export interface Signal {
  real: Float32Array
  imag: Float32Array
  length: number
  start: number
}

/** Turns one channel into its baseband, block by block; what is not yet dropped is kept. */
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

  /** @param rate samples a second of the input, a whole number */
  constructor(rate: number) {
    this.#rate = rate
    this.#taps = 2 * Math.ceil((KERNEL_REACH * rate) / BASEBAND_RATE)
    this.#phases = Math.min(
      BASEBAND_RATE / greatestCommonDivisor(rate, BASEBAND_RATE),
      FINEST_PHASES,
    )
    this.#filterReal = new Float32Array((this.#phases + 1) * this.#taps)
    this.#filterImag = new Float32Array((this.#phases + 1) * this.#taps)
    this.#tableFilter()
    this.#pendingStart = -this.#taps
    this.#pending = new Float32Array(this.#taps)
  }

  /** What has been computed and not dropped; the arrays are the working ones, valid until the next push or drop. */
  get signal(): Signal {
    return {
      real: this.#real,
      imag: this.#imag,
      length: this.#end - this.#start,
      start: this.#start,
    }
  }

  /** Takes the next samples of the recording (any scale). */
  push(samples: Float32Array): void {
    const joined = new Float32Array(this.#pending.length + samples.length)
    joined.set(this.#pending)
    joined.set(samples, this.#pending.length)
    this.#pending = joined
    const inputEnd = this.#pendingStart + joined.length
    const last = Math.floor(((inputEnd - this.#taps / 2 - 1) * BASEBAND_RATE) / this.#rate)
    this.#reserve(last + 1)
    while (this.#end <= last) this.#filterOne(this.#end++)
    this.#forgetInput()
  }

  /** Ends the recording: the last samples come out as if silence followed. */
  finish(): void {
    this.push(new Float32Array(this.#taps))
  }

  /** Forgets baseband samples before `start`, counted from the beginning of the recording. */
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

  /** Tap j of a phase weighs the input sample taps/2 - 1 - j before the output's place, turned to the band's centre. */
  #tableFilter(): void {
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

  #forgetInput(): void {
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
