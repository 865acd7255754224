// Measures how a transmission was received, now that the tones that were sent are known (SPEC.md 9.11).
import {
  FRAME_BITS,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  TONES,
  TRANSMISSION_SECONDS,
} from '../constants.ts'
import { type Alignment, startOf, translationOf } from './alignment.ts'
import { BASEBAND_RATE } from './baseband.ts'
import { powerAt, type Slots } from './demodulate.ts'

/** How a slot was received: `heard` if its strongest tone is the one that was sent, else `corrected`; or `absent`. */
export type SlotState = 'heard' | 'corrected' | 'absent'

/** How a transmission was received. */
export interface Diagnostics {
  /** From the beginning of the recording to the first sample of the fade [s]. */
  start: number
  /** 1.01 is 1 % faster and higher than sent. */
  speed: number
  /** Shift of all frequencies in addition to the effect of the speed [Hz]. */
  translation: number
  /** Energy per bit over noise density, and signal-to-noise ratio in 2500 Hz, over the slots received [dB]. */
  ebN0: number
  snr2500: number
  /** Number of slots received whose strongest tone was not the one sent. */
  correctedTones: number
  /** Fraction of the slots in which the transmission is absent: missing or swamped, 0 to 1. */
  absentPart: number
  /** List size that was needed. */
  list: number
  /** The state of each slot, including sync slots. */
  slots: readonly SlotState[]
}

/** Energy of a transmission in slots; a fade has 3/8 of a constant tone's energy, the mean of (0.5 - 0.5 cos)^2. */
const ENERGY_SLOTS = SLOTS + (2 * RAMP_SAMPLES * 3) / 8 / SYMBOL_SAMPLES
const REFERENCE_BANDWIDTH = 2500
/** A slot counts as absent when it is more likely absent than not. */
const ABSENT = 0.5
/** Tones this close to the one sent contain leakage from it and are not used to measure the noise. */
const LEAKAGE = 4

/**
 * Measures a transmission from its slots.
 * @param absent probability that the signal is absent, per slot
 * @param tones that were sent
 */
export function diagnose(
  alignment: Alignment,
  slots: Slots,
  absent: Float64Array,
  tones: Uint8Array,
): Omit<Diagnostics, 'list'> {
  const states = Array.from(tones, (tone, slot): SlotState => {
    if (absent[slot]! >= ABSENT) return 'absent'
    return strongestTone(slots, slot) === tone ? 'heard' : 'corrected'
  })
  const received = Array.from(tones.keys()).filter((slot) => states[slot] !== 'absent')
  const noise = mean(received.map((slot) => noisePower(slots, slot, tones[slot]!)))
  const total = mean(received.map((slot) => powerOf(slots, slot, tones[slot]!)))
  // The cap of 120 dB is for recordings without noise.
  const energy = Math.max(total - noise, noise / 1000) / Math.max(noise, total * 1e-12)
  const ebN0 = 10 * Math.log10((energy * ENERGY_SLOTS) / FRAME_BITS)
  const bitRate = FRAME_BITS / (TRANSMISSION_SECONDS / alignment.speed)
  return {
    start: startOf(alignment) / BASEBAND_RATE - RAMP_SAMPLES / SAMPLE_RATE / alignment.speed,
    speed: alignment.speed,
    translation: translationOf(alignment),
    ebN0,
    snr2500: ebN0 + 10 * Math.log10(bitRate / REFERENCE_BANDWIDTH),
    correctedTones: states.filter((state) => state === 'corrected').length,
    absentPart: 1 - received.length / SLOTS,
    slots: states,
  }
}

function powerOf(slots: Slots, slot: number, tone: number): number {
  return powerAt(slots, slot * TONES + tone)
}

function noisePower(slots: Slots, slot: number, sent: number): number {
  const others = Array.from({ length: TONES }, (_, tone) => tone).filter(
    (tone) => Math.abs(tone - sent) > LEAKAGE,
  )
  return mean(others.map((tone) => powerOf(slots, slot, tone)))
}

function strongestTone(slots: Slots, slot: number): number {
  let strongest = 0
  for (let tone = 1; tone < TONES; tone++) {
    if (powerOf(slots, slot, tone) > powerOf(slots, slot, strongest)) strongest = tone
  }
  return strongest
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)
}
