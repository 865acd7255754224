// Filters of the simulated channel: long convolutions, the Hilbert transform, the telephone band.
import { FourierTransform } from '../../protocol/receiver/fft.ts'

const BLOCK = 1 << 17

/** Convolves the sound with an impulse response by overlap-add, and cuts the result to the sound's length. */
export function convolve(sound: Float32Array, response: Float32Array): Float32Array<ArrayBuffer> {
  const transform = new FourierTransform(BLOCK)
  const [responseReal, responseImag] = spectrumOf(transform, response)
  const out = new Float32Array(sound.length)
  const step = BLOCK - response.length
  for (let from = 0; from < sound.length; from += step) {
    const [real, imag] = spectrumOf(transform, sound.subarray(from, from + step))
    for (let k = 0; k < BLOCK; k++) {
      // The conjugate, so that the forward transform computes the inverse.
      transform.real[k] = real[k]! * responseReal[k]! - imag[k]! * responseImag[k]!
      transform.imag[k] = -(real[k]! * responseImag[k]! + imag[k]! * responseReal[k]!)
    }
    transform.run()
    const end = Math.min(BLOCK, sound.length - from)
    for (let i = 0; i < end; i++) out[from + i]! += transform.real[i]! / BLOCK
  }
  return out
}

function spectrumOf(
  transform: FourierTransform,
  samples: Float32Array,
): [Float64Array, Float64Array] {
  transform.real.fill(0)
  transform.imag.fill(0)
  transform.real.set(samples)
  transform.run()
  return [transform.real.slice(), transform.imag.slice()]
}

const HILBERT_REACH = 127
const HILBERT = Float64Array.from({ length: HILBERT_REACH + 1 }, (_, n) =>
  n % 2 === 0 ? 0 : ((2 / (Math.PI * n)) * (1 + Math.cos((Math.PI * n) / (HILBERT_REACH + 1)))) / 2,
)

/** Returns the Hilbert transform: each frequency above 400 Hz, at 48 kHz, is shifted by a quarter of a period. */
export function hilbert(sound: Float32Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(sound.length)
  const padded = new Float32Array(sound.length + 2 * HILBERT_REACH)
  padded.set(sound, HILBERT_REACH)
  for (let i = 0; i < sound.length; i++) {
    const middle = i + HILBERT_REACH
    let sum = 0
    for (let n = 1; n <= HILBERT_REACH; n += 2)
      sum += HILBERT[n]! * (padded[middle - n]! - padded[middle + n]!)
    out[i] = sum
  }
  return out
}

/** Resamples from 48 kHz to 8 kHz and filters to the telephone band, 300 to 3400 Hz, with a windowed sinc of 8 ms. */
export function telephoneBand(sound: Float32Array): Float32Array<ArrayBuffer> {
  const out = new Float32Array(Math.floor(sound.length / TELEPHONE_STEP))
  for (let i = 0; i < out.length; i++) {
    let sum = 0
    const from = i * TELEPHONE_STEP - TELEPHONE_REACH
    for (let k = 0; k < TELEPHONE.length; k++) sum += TELEPHONE[k]! * (sound[from + k] ?? 0)
    out[i] = sum
  }
  return out
}

const TELEPHONE_STEP = 6
const TELEPHONE_REACH = 192
const TELEPHONE = Float64Array.from({ length: 2 * TELEPHONE_REACH + 1 }, (_, k) => {
  const n = k - TELEPHONE_REACH
  const window = 0.5 + 0.5 * Math.cos((Math.PI * n) / (TELEPHONE_REACH + 1))
  return window * (lowPass(n, 3400) - lowPass(n, 300))
})

function lowPass(n: number, hertz: number): number {
  const cycles = hertz / 48_000
  return n === 0 ? 2 * cycles : Math.sin(2 * Math.PI * cycles * n) / (Math.PI * n)
}
