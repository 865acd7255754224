// What a receiver can say about a transmission that it has read: the tones that were sent are known now (SPEC.md 9.11).
import {
  FRAME_BITS,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  TONES,
  TRANSMISSION_SECONDS,
} from '../constants.ts'
import { BASEBAND_RATE } from './baseband.ts'
import { powerAt, type Slots } from './demodulate.ts'
import { type Place, startOf, translationOf } from './place.ts'

/** How a slot was received: as its strongest tone the one that was sent, or another; or without the transmission. */
export type SlotState = 'heard' | 'corrected' | 'absent'

/** How a transmission was received. */
export interface Diagnostics {
  /** Seconds from the beginning of the recording to the beginning of the transmission (of its fade). */
  start: number
  /** 1.01 is 1 % faster and higher than sent. */
  speed: number
  /** By how much all frequencies are moved, on top of what the speed does [Hz]. */
  translation: number
  /** Energy a bit over noise density in dB, and the signal-to-noise ratio in 2500 Hz, over the slots received. */
  ebN0: number
  snr2500: number
  /** Slots received whose strongest tone was not the one sent. */
  correctedTones: number
  /** Part of the slots in which the transmission is absent: missing or swamped, 0 to 1. */
  absentPart: number
  /** Length of the list that was needed. */
  list: number
  /** Of each slot, sync slots too. */
  slots: readonly SlotState[]
}

/** A fade has 3/8 of the energy of an even tone, as the mean of (0.5 - 0.5 cos)^2. */
const ENERGY_SLOTS = SLOTS + (2 * RAMP_SAMPLES * 3) / 8 / SYMBOL_SAMPLES
const REFERENCE_BANDWIDTH = 2500
/** A slot counts as absent when it is more likely absent than not. */
const ABSENT = 0.5
/** Tones next to the one sent hold some of it and tell nothing of the noise. */
const LEAKAGE = 4

/** Measures a transmission whose `tones` are known in the slots of its place. */
export function diagnose(
  place: Place,
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
  // The cap stands for recordings without any noise at all.
  const energy = Math.max(total - noise, noise / 1000) / Math.max(noise, total * 1e-12)
  const ebN0 = 10 * Math.log10((energy * ENERGY_SLOTS) / FRAME_BITS)
  const bitRate = FRAME_BITS / (TRANSMISSION_SECONDS / place.speed)
  return {
    start: startOf(place) / BASEBAND_RATE - RAMP_SAMPLES / SAMPLE_RATE / place.speed,
    speed: place.speed,
    translation: translationOf(place),
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
