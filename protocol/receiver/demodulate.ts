// Demodulates the slots of a transmission at a given alignment to 128 complex tone amplitudes each (SPEC.md 9.5).
import { BASE_BINS, SLOTS, TONES } from '../constants.ts'
import { type Alignment, startOf } from './alignment.ts'
import { BASEBAND_RATE, CENTRE_BIN, type Signal, SLOT_LENGTH } from './baseband.ts'
import { FourierTransform } from './fft.ts'
import { KERNEL_REACH, kernel } from './kernel.ts'

/** Tone amplitudes at [slot * 128 + tone]; slots outside the recording have `recorded` 0 and amplitudes 0. */
export interface Slots {
  real: Float32Array
  imag: Float32Array
  recorded: Uint8Array
}

export function emptySlots(): Slots {
  return {
    real: new Float32Array(SLOTS * TONES),
    imag: new Float32Array(SLOTS * TONES),
    recorded: new Uint8Array(SLOTS),
  }
}

/** Returns the power of the tone at index `at`, which is slot * 128 + tone. */
export function powerAt({ real, imag }: Slots, at: number): number {
  return real[at]! ** 2 + imag[at]! ** 2
}

/** Fractional delays for which the interpolation kernel is tabulated. */
const PHASES = 256
const TAPS = 2 * KERNEL_REACH
const INTERPOLATOR = Float32Array.from({ length: (PHASES + 1) * TAPS }, (_, i) =>
  kernel(Math.floor(i / TAPS) / PHASES + KERNEL_REACH - 1 - (i % TAPS)),
)

/** Extracts slots from a baseband signal; owns its scratch space. */
export class Demodulator {
  readonly #transform = new FourierTransform(SLOT_LENGTH)

  /**
   * Fills `slots`. At the true alignment the transmitted tones of all slots have the same phase.
   * @param every slot step: 1 for all slots, SYNC_PERIOD for the sync slots only
   */
  demodulate(signal: Signal, alignment: Alignment, slots: Slots, every = 1): void {
    const { speed } = alignment
    const start = startOf(alignment)
    const rotation = (2 * Math.PI * alignment.offset) / BASEBAND_RATE
    for (let slot = 0; slot < SLOTS; slot += every) {
      const elapsed = (slot * SLOT_LENGTH) / speed
      const from = start - signal.start + elapsed
      const inside =
        from >= KERNEL_REACH && from + SLOT_LENGTH / speed < signal.length - KERNEL_REACH
      slots.recorded[slot] = inside ? 1 : 0
      if (inside) {
        this.#interpolate(signal, from, 1 / speed, rotation, elapsed)
        this.#transform.run()
      }
      this.#storeTones(slots, slot, inside)
    }
  }

  /**
   * Loads the transform with 512 samples interpolated at `from`, `from + step`, ... and derotated by `rotation`
   * [radians per baseband sample], which has accumulated for `elapsed` samples.
   */
  #interpolate(signal: Signal, from: number, step: number, rotation: number, elapsed: number) {
    const { real: inReal, imag: inImag } = signal
    const { real, imag } = this.#transform
    const stepReal = Math.cos(rotation * step)
    const stepImag = -Math.sin(rotation * step)
    let phaseReal = Math.cos(rotation * elapsed)
    let phaseImag = -Math.sin(rotation * elapsed)
    for (let n = 0; n < SLOT_LENGTH; n++) {
      const position = from + n * step
      const whole = Math.floor(position)
      const tap = Math.round((position - whole) * PHASES) * TAPS
      const i = whole - KERNEL_REACH + 1
      // The eight taps are unrolled because this is the receiver's hottest loop.
      const w0 = INTERPOLATOR[tap + 0]!
      const w1 = INTERPOLATOR[tap + 1]!
      const w2 = INTERPOLATOR[tap + 2]!
      const w3 = INTERPOLATOR[tap + 3]!
      const w4 = INTERPOLATOR[tap + 4]!
      const w5 = INTERPOLATOR[tap + 5]!
      const w6 = INTERPOLATOR[tap + 6]!
      const w7 = INTERPOLATOR[tap + 7]!
      const x =
        inReal[i]! * w0 +
        inReal[i + 1]! * w1 +
        inReal[i + 2]! * w2 +
        inReal[i + 3]! * w3 +
        inReal[i + 4]! * w4 +
        inReal[i + 5]! * w5 +
        inReal[i + 6]! * w6 +
        inReal[i + 7]! * w7
      const y =
        inImag[i]! * w0 +
        inImag[i + 1]! * w1 +
        inImag[i + 2]! * w2 +
        inImag[i + 3]! * w3 +
        inImag[i + 4]! * w4 +
        inImag[i + 5]! * w5 +
        inImag[i + 6]! * w6 +
        inImag[i + 7]! * w7
      real[n] = x * phaseReal - y * phaseImag
      imag[n] = x * phaseImag + y * phaseReal
      const next = phaseReal * stepReal - phaseImag * stepImag
      phaseImag = phaseReal * stepImag + phaseImag * stepReal
      phaseReal = next
    }
  }

  #storeTones(slots: Slots, slot: number, inside: boolean): void {
    const base = BASE_BINS[slot & 1]! - CENTRE_BIN
    const { real, imag } = this.#transform
    for (let tone = 0, at = slot * TONES; tone < TONES; tone++, at++) {
      const bin = (base + tone) & (SLOT_LENGTH - 1)
      slots.real[at] = inside ? real[bin]! : 0
      slots.imag[at] = inside ? imag[bin]! : 0
    }
  }
}
