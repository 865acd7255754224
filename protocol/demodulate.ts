// A transmission's slots as 128 complex tone amplitudes each, at a given place, speed and translation (SPEC.md 9.5).
import { BASEBAND_RATE, CENTRE_BIN, CENTRE_FREQUENCY, type Signal } from './baseband.ts'
import { BASE_BINS, SLOTS, TONES } from './constants.ts'
import { FourierTransform } from './fft.ts'
import { KERNEL_REACH, kernel } from './kernel.ts'
import type { Placement } from './placement.ts'
import { SLOT_LENGTH } from './spectrogram.ts'

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

/** Places between two baseband samples at which the interpolating kernel is tabled. */
const PHASES = 256
const TAPS = 2 * KERNEL_REACH
const INTERPOLATOR = Float32Array.from({ length: (PHASES + 1) * TAPS }, (_, i) =>
  kernel(Math.floor(i / TAPS) / PHASES + KERNEL_REACH - 1 - (i % TAPS)),
)

const transform = new FourierTransform(SLOT_LENGTH)

/** Fills `slots`. At the true placement the tone of every slot has the same phase. */
export function demodulate(signal: Signal, placement: Placement, slots: Slots): void {
  const { speed, shift } = placement
  const turn = (2 * Math.PI * (CENTRE_FREQUENCY * (speed - 1) + shift)) / BASEBAND_RATE
  for (let slot = 0; slot < SLOTS; slot++) {
    const elapsed = (slot * SLOT_LENGTH) / speed
    const from = placement.start - signal.start + elapsed
    const inside = from >= KERNEL_REACH && from + SLOT_LENGTH / speed < signal.length - KERNEL_REACH
    slots.heard[slot] = inside ? 1 : 0
    if (inside) {
      interpolate(signal, from, 1 / speed, turn, elapsed)
      transform.run()
    }
    storeTones(slots, slot, inside)
  }
}

/** Writes 512 samples from `from` on, `step` apart, into the transform, turned back by `turn` radians a sample. */
function interpolate(
  signal: Signal,
  from: number,
  step: number,
  turn: number,
  elapsed: number,
): void {
  const [inReal, inImag, real, imag] = [signal.real, signal.imag, transform.real, transform.imag]
  const turnReal = Math.cos(turn * step)
  const turnImag = -Math.sin(turn * step)
  let phaseReal = Math.cos(turn * elapsed)
  let phaseImag = -Math.sin(turn * elapsed)
  for (let n = 0; n < SLOT_LENGTH; n++) {
    const place = from + n * step
    const whole = Math.floor(place)
    let tap = Math.round((place - whole) * PHASES) * TAPS
    let x = 0
    let y = 0
    for (let i = whole - KERNEL_REACH + 1; i <= whole + KERNEL_REACH; i++, tap++) {
      x += inReal[i]! * INTERPOLATOR[tap]!
      y += inImag[i]! * INTERPOLATOR[tap]!
    }
    real[n] = x * phaseReal - y * phaseImag
    imag[n] = x * phaseImag + y * phaseReal
    const next = phaseReal * turnReal - phaseImag * turnImag
    phaseImag = phaseReal * turnImag + phaseImag * turnReal
    phaseReal = next
  }
}

function storeTones(slots: Slots, slot: number, inside: boolean): void {
  const base = BASE_BINS[slot & 1]! - CENTRE_BIN
  const [real, imag] = [transform.real, transform.imag]
  for (let tone = 0, at = slot * TONES; tone < TONES; tone++, at++) {
    const bin = (base + tone) & (SLOT_LENGTH - 1)
    slots.real[at] = inside ? real[bin]! : 0
    slots.imag[at] = inside ? imag[bin]! : 0
  }
}
