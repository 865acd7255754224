// A list of 273 tones as sound: continuous phase, constant amplitude, a fade at either end (SPEC.md 7).
import {
  AMPLITUDE,
  BASE_BINS,
  RAMP_SAMPLES,
  SLOTS,
  SYMBOL_SAMPLES,
  TONES,
  TRANSMISSION_SAMPLES,
} from './constants.ts'
import { ProtocolError } from './errors.ts'

/** One period of a sine in SYMBOL_SAMPLES steps: all phases that occur, since tones are whole multiples of one period a slot. */
const SINE = Float64Array.from({ length: SYMBOL_SAMPLES }, (_, phase) =>
  Math.sin((2 * Math.PI * phase) / SYMBOL_SAMPLES),
)

/**
 * The samples of a tone list at 48 kHz, 16-bit full scale, 1 398 720 in all.
 * Throws `invalid_tones` unless there are 273 tones of 0 to 127.
 */
export function modulate(tones: Uint8Array): Int16Array {
  checkTones(tones)
  const samples = new Int16Array(TRANSMISSION_SAMPLES)
  let phase = 0
  for (let i = 0; i < samples.length; i++) {
    samples[i] = Math.round(32767 * AMPLITUDE * ramp(i) * SINE[phase]!)
    const slot = Math.floor((i - RAMP_SAMPLES) / SYMBOL_SAMPLES)
    const clamped = Math.min(Math.max(slot, 0), SLOTS - 1)
    phase = (phase + BASE_BINS[clamped & 1]! + tones[clamped]!) % SYMBOL_SAMPLES
  }
  return samples
}

/** The raised-cosine fade: the gain of sample `i`, 1 everywhere but in the first and last RAMP_SAMPLES. */
function ramp(i: number): number {
  const edge = Math.min(i, TRANSMISSION_SAMPLES - 1 - i)
  return edge >= RAMP_SAMPLES ? 1 : 0.5 - 0.5 * Math.cos((Math.PI * (edge + 0.5)) / RAMP_SAMPLES)
}

function checkTones(tones: Uint8Array): void {
  if (tones.length !== SLOTS) {
    throw new ProtocolError(
      'invalid_tones',
      `a transmission has ${SLOTS} tones, not ${tones.length}`,
    )
  }
  const slot = tones.findIndex((tone) => tone >= TONES)
  if (slot >= 0) {
    throw new ProtocolError(
      'invalid_tones',
      `tone ${tones[slot]} in slot ${slot} is above ${TONES - 1}`,
    )
  }
}
