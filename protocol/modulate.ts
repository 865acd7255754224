// Modulates a list of 273 tones: continuous phase, constant amplitude, a fade at each end (SPEC.md 7).
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

/** One period of a sine in SYMBOL_SAMPLES steps. No other phase occurs, as tones have whole periods in a slot. */
const SINE = Float64Array.from({ length: SYMBOL_SAMPLES }, (_, phase) =>
  Math.sin((2 * Math.PI * phase) / SYMBOL_SAMPLES),
)

/** The same period as samples at full gain. */
const LEVELS = Int16Array.from(SINE, (_, phase) => sampleOf(phase, 1))

function sampleOf(phase: number, gain: number): number {
  return Math.round(32767 * AMPLITUDE * gain * SINE[phase]!)
}

/**
 * Returns the 1 398 720 samples of a tone list, 16-bit at 48 kHz.
 * @throws `invalid_tones` unless there are 273 tones of 0 to 127
 */
export function modulate(tones: Uint8Array): Int16Array {
  checkTones(tones)
  const samples = new Int16Array(TRANSMISSION_SAMPLES)
  const fadeOut = samples.length - RAMP_SAMPLES
  let phase = 0
  for (let slot = 0, i = 0; slot < SLOTS; slot++) {
    const bin = BASE_BINS[slot & 1]! + tones[slot]!
    const end = slot === SLOTS - 1 ? samples.length : RAMP_SAMPLES + (slot + 1) * SYMBOL_SAMPLES
    for (; i < end; i++) {
      samples[i] = i < RAMP_SAMPLES || i >= fadeOut ? sampleOf(phase, ramp(i)) : LEVELS[phase]!
      phase += bin
      if (phase >= SYMBOL_SAMPLES) phase -= SYMBOL_SAMPLES
    }
  }
  return samples
}

/** Returns the gain of sample `i`: a raised cosine over the first and last RAMP_SAMPLES, 1 in between. */
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
