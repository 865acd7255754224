// How loud a recording is at each frequency as time passes: what the page draws while the worker reads.
import { FourierTransform, SAMPLE_RATE, SYMBOL_SAMPLES } from '../../../protocol/index.ts'

/** What is drawn, around the tones, which lie from 506 to 2681 Hz [Hz]. */
export const LOWEST = 400
export const HIGHEST = 2800
/** Frequencies of a column, from the lowest to the highest. */
export const ROWS = 96
/** Columns a second: one for each slot of a transmission at its own speed. */
export const COLUMNS_A_SECOND = SAMPLE_RATE / SYMBOL_SAMPLES

/** Levels are steps of half a decibel above this one, to full scale [dB]. */
const QUIETEST = -120
export const STEPS_A_DECIBEL = 2

/** Listens to up to two channels of any rate: each is one part of a complex signal, whose spectrum has the power of both. */
export class LevelMeter {
  readonly #rate: number
  readonly #transform: FourierTransform
  readonly #window: Float64Array
  readonly #channels: [number[], number[]] = [[], []]
  /** Samples that are done, and columns. */
  #dropped = 0
  #columns = 0

  /** @param rate samples a second */
  constructor(rate: number) {
    this.#rate = rate
    const length = 2 ** Math.floor(Math.log2(rate / COLUMNS_A_SECOND))
    this.#transform = new FourierTransform(length)
    this.#window = Float64Array.from(
      { length },
      (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / length),
    )
  }

  /** The columns that are complete with this block, `ROWS` levels each. */
  push(block: readonly Float32Array[]): Uint8Array {
    const [first, second = new Float32Array(first?.length ?? 0)] = block
    for (const sample of first ?? []) this.#channels[0].push(sample)
    for (const sample of second) this.#channels[1].push(sample)
    const columns: number[] = []
    for (;;) {
      const from = Math.round((this.#columns * this.#rate) / COLUMNS_A_SECOND) - this.#dropped
      if (from + this.#transform.length > this.#channels[0].length) break
      columns.push(...this.#column(from))
      this.#columns++
    }
    this.#forget(Math.round((this.#columns * this.#rate) / COLUMNS_A_SECOND))
    return Uint8Array.from(columns)
  }

  /** Drops what lies before a sample. */
  #forget(until: number): void {
    const count = Math.min(until - this.#dropped, this.#channels[0].length)
    for (const channel of this.#channels) channel.splice(0, count)
    this.#dropped += count
  }

  #column(from: number): number[] {
    const { length, real, imag } = this.#transform
    for (let i = 0; i < length; i++) {
      real[i] = (this.#channels[0][from + i] as number) * (this.#window[i] as number)
      imag[i] = (this.#channels[1][from + i] as number) * (this.#window[i] as number)
    }
    this.#transform.run()
    return Array.from({ length: ROWS }, (_, row) => this.#level(row))
  }

  /** The loudest frequency of a row. */
  #level(row: number): number {
    const { length, real, imag } = this.#transform
    const binOf = (edge: number) =>
      Math.round(((LOWEST + ((HIGHEST - LOWEST) * edge) / ROWS) * length) / this.#rate)
    const last = Math.min(Math.max(binOf(row + 1) - 1, binOf(row)), length / 2 - 1)
    let power = 0
    for (let bin = Math.min(binOf(row), last); bin <= last; bin++) {
      const negative = length - bin
      const sum =
        (real[bin] as number) ** 2 +
        (imag[bin] as number) ** 2 +
        (real[negative] as number) ** 2 +
        (imag[negative] as number) ** 2
      power = Math.max(power, sum)
    }
    // A sine at full scale in one channel has length / 4 in each of its two lines.
    const decibels = 10 * Math.log10((power * 8) / length ** 2 + 1e-20)
    return Math.max(0, Math.min(255, Math.round((decibels - QUIETEST) * STEPS_A_DECIBEL)))
  }
}
