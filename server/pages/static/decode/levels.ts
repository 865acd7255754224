// Computes the spectrogram that the decoder page draws while the worker reads a recording.
import { SAMPLE_RATE, SYMBOL_SAMPLES } from '../../../../protocol/index.ts'
import { FourierTransform } from '../../../../protocol/receiver/index.ts'

/** The range that is drawn [Hz]; the tones lie between 506 and 2681 Hz. */
export const LOWEST = 400
export const HIGHEST = 2800
/** Frequency bands of a column, from the lowest to the highest. */
export const ROWS = 96
/** One column for each slot of a transmission at nominal speed. */
export const COLUMNS_PER_SECOND = SAMPLE_RATE / SYMBOL_SAMPLES

/** Level 0; levels are steps of half a decibel above it [dB relative to full scale]. */
const QUIETEST = -120
export const STEPS_PER_DECIBEL = 2

/**
 * Computes columns of levels from one or two channels at any sample rate. The channels are the real and the imaginary
 * part of one complex signal, so that a single transform yields the power of both.
 * @param rate [samples per second]
 * @returns a function that takes the next samples and returns the columns that these complete, `ROWS` levels each
 */
export function levelMeter(
  rate: number,
): (block: readonly Float32Array[]) => Uint8Array<ArrayBuffer> {
  const transform = new FourierTransform(2 ** Math.floor(Math.log2(rate / COLUMNS_PER_SECOND)))
  const { length } = transform
  const window = Float64Array.from(
    { length },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (i + 0.5)) / length),
  )
  const channels: [number[], number[]] = [[], []]
  /** Samples that were dropped, and columns that were returned. */
  let dropped = 0
  let columns = 0
  const nextColumn = () => Math.round((columns * rate) / COLUMNS_PER_SECOND) - dropped
  const columnAt = (from: number) => {
    const { real, imag } = transform
    for (let i = 0; i < length; i++) {
      real[i] = (channels[0][from + i] as number) * (window[i] as number)
      imag[i] = (channels[1][from + i] as number) * (window[i] as number)
    }
    transform.run()
    return Array.from({ length: ROWS }, (_, row) => levelIn(transform, rate, row))
  }
  return (block) => {
    const [first, second = new Float32Array(first?.length ?? 0)] = block
    for (const sample of first ?? []) channels[0].push(sample)
    for (const sample of second) channels[1].push(sample)
    const levels: number[] = []
    for (; nextColumn() + length <= channels[0].length; columns++)
      levels.push(...columnAt(nextColumn()))
    const count = Math.min(nextColumn(), channels[0].length)
    for (const channel of channels) channel.splice(0, count)
    dropped += count
    return Uint8Array.from(levels)
  }
}

/** Returns the level of the loudest frequency in a row. */
function levelIn({ length, real, imag }: FourierTransform, rate: number, row: number): number {
  const binOf = (edge: number) =>
    Math.round(((LOWEST + ((HIGHEST - LOWEST) * edge) / ROWS) * length) / rate)
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
  // A full-scale sine in one channel has magnitude length / 4 in each of its two bins.
  const decibels = 10 * Math.log10((power * 8) / length ** 2 + 1e-20)
  return Math.max(0, Math.min(255, Math.round((decibels - QUIETEST) * STEPS_PER_DECIBEL)))
}
