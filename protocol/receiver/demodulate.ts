// A transmission's slots as 128 complex tone amplitudes each, at a given place, speed and translation (SPEC.md 9.4).
import { BASE_BINS, SLOTS, TONES } from '../constants.ts'
import { BASEBAND_RATE, CENTRE_BIN, type Signal, SLOT_LENGTH } from './baseband.ts'
import { FourierTransform } from './fft.ts'
import { KERNEL_REACH, kernel } from './kernel.ts'
import { type Place, startOf } from './place.ts'

/** Tone amplitudes at [slot * 128 + tone]; slots that lie outside the recording are 0 and not `heard`. */
export interface Slots {
  real: Float32Array
  imag: Float32Array
  heard: Uint8Array
}

export function emptySlots(): Slots {
  return {
    real: new Float32Array(SLOTS * TONES),
    imag: new Float32Array(SLOTS * TONES),
    heard: new Uint8Array(SLOTS),
  }
}

/** The power of the tone at `at`, which is slot * 128 + tone. */
export function powerAt({ real, imag }: Slots, at: number): number {
  return real[at]! ** 2 + imag[at]! ** 2
}

/** Places between two baseband samples at which the interpolating kernel is tabled. */
const PHASES = 256
const TAPS = 2 * KERNEL_REACH
const INTERPOLATOR = Float32Array.from({ length: (PHASES + 1) * TAPS }, (_, i) =>
  kernel(Math.floor(i / TAPS) / PHASES + KERNEL_REACH - 1 - (i % TAPS)),
)

/** Cuts slots out of a baseband; holds its working space. */
export class Demodulator {
  readonly #transform = new FourierTransform(SLOT_LENGTH)

  /**
   * Fills `slots`. At the true place the tones of all slots have the same phase.
   * @param every the step from slot to slot: 1 for all of them, SYNC_PERIOD for the sync slots alone
   */
  demodulate(signal: Signal, place: Place, slots: Slots, every = 1): void {
    const { speed } = place
    const start = startOf(place)
    const turn = (2 * Math.PI * place.offset) / BASEBAND_RATE
    for (let slot = 0; slot < SLOTS; slot += every) {
      const elapsed = (slot * SLOT_LENGTH) / speed
      const from = start - signal.start + elapsed
      const inside =
        from >= KERNEL_REACH && from + SLOT_LENGTH / speed < signal.length - KERNEL_REACH
      slots.heard[slot] = inside ? 1 : 0
      if (inside) {
        this.#interpolate(signal, from, 1 / speed, turn, elapsed)
        this.#transform.run()
      }
      this.#storeTones(slots, slot, inside)
    }
  }

  /** Writes 512 samples from `from` on, `step` apart, into the transform, turned back by `turn` radians a sample. */
  #interpolate(signal: Signal, from: number, step: number, turn: number, elapsed: number): void {
    const { real: inReal, imag: inImag } = signal
    const { real, imag } = this.#transform
    const turnReal = Math.cos(turn * step)
    const turnImag = -Math.sin(turn * step)
    let phaseReal = Math.cos(turn * elapsed)
    let phaseImag = -Math.sin(turn * elapsed)
    for (let n = 0; n < SLOT_LENGTH; n++) {
      const place = from + n * step
      const whole = Math.floor(place)
      const tap = Math.round((place - whole) * PHASES) * TAPS
      const i = whole - KERNEL_REACH + 1
      // The eight taps in a row: this is where a receiver spends its time.
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
      const next = phaseReal * turnReal - phaseImag * turnImag
      phaseImag = phaseReal * turnImag + phaseImag * turnReal
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
