// The transmission's spectrogram: how loud each frequency is at each moment, one value a pixel.

import { SAMPLE_RATE } from '../../protocol/index.ts'
import { FourierTransform } from '../../protocol/receiver/fft.ts'
import { LOWEST_ROW, PLOT, ROW_HERTZ } from './layout.ts'

/** Every fourth sample will do: 99.9 % of a transmission's power lies below 2.7 kHz. */
const DECIMATION = 4
/** 64 ms: short enough to part the slots (107 ms), long enough to part tones some three apart. */
const WINDOW = 768
/** Window and silence together: the length at which a bin is a row of the plot. */
const TRANSFORM = SAMPLE_RATE / DECIMATION / ROW_HERTZ
/** What is this much quieter than a lasting tone is drawn as silence. */
const RANGE_DB = 42

/** A Hann window that leaves a tone of amplitude 1 with an amplitude of 1 in its bin. */
const HANN = Float64Array.from(
  { length: WINDOW },
  (_, i) => (2 / WINDOW) * (1 - Math.cos((2 * Math.PI * (i + 0.5)) / WINDOW)),
)

/**
 * Loudness from 0 (silence) to 1 (a lasting tone of the loudest sample's amplitude), row by row
 * from the plot's upper left: its columns divide the whole of the samples, its rows `FREQUENCY_RANGE`.
 * Each value stands for its pixel's centre.
 */
export function spectrogram(samples: Int16Array): Float32Array {
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 1)
  const levels = new Float32Array(PLOT.width * PLOT.height)
  const transform = new FourierTransform(TRANSFORM)
  for (let column = 0; column < PLOT.width; column++) {
    const centre = Math.round(((column + 0.5) / PLOT.width) * samples.length)
    fill(transform, samples, centre - (WINDOW / 2) * DECIMATION)
    transform.run()
    for (let row = 0; row < PLOT.height; row++) {
      const bin = LOWEST_ROW + PLOT.height - 1 - row
      const amplitude = Math.hypot(transform.real[bin]!, transform.imag[bin]!) / peak
      levels[row * PLOT.width + column] = Math.max(0, 1 + (20 * Math.log10(amplitude)) / RANGE_DB)
    }
  }
  return levels
}

/** The thinned-out samples from `start`, windowed, then silence; silence too beyond the samples' ends. */
function fill({ real, imag }: FourierTransform, samples: Int16Array, start: number): void {
  real.fill(0, WINDOW)
  imag.fill(0)
  for (let i = 0; i < WINDOW; i++) real[i] = HANN[i]! * (samples[start + i * DECIMATION] ?? 0)
}
