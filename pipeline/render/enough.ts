// From which slot on the beginning of a transmission decodes: the turning point of the film.
//
// The receiver is left out of it on purpose, since a better one must not change films that are sealed. What counts is
// the ideal case: tones without noise at a known place, the other slots missing. A decoder that takes for 0 what it
// has to guess, as most leading digits of the counters are, then reads the frame if these bits are 0.
import {
  POSITION_SLOTS,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  unpackBits,
} from '../../protocol/index.ts'
import { guessedBits } from './erasure-list.ts'

/** The receiver of SPEC.md 9.3 searches no recording for a transmission that lacks 150 slots or more. */
const MOST_MISSING = 149

const guessed = new Map<number, readonly number[]>()

/** The bits of a frame that have to be guessed from the first `slots` tones; the same for every frame. */
export function guessedFrom(slots: number): readonly number[] {
  const bits = guessed.get(slots) ?? guessedBits((i) => POSITION_SLOTS[i]! < slots)
  guessed.set(slots, bits)
  return bits
}

/** The smallest number of slots from the beginning from which on every prefix tells the whole frame. */
export function slotsEnough(frame: Uint8Array): number {
  const bits = unpackBits(frame)
  const isEnough = (slots: number) => guessedFrom(slots).every((bit) => bits[bit] === 0)
  let slots = SLOTS
  while (slots > SLOTS - MOST_MISSING && isEnough(slots - 1)) slots--
  return slots
}

/** Seconds of the sound until the end of so many slots. */
export const secondsAfter = (slots: number): number =>
  (RAMP_SAMPLES + slots * SYMBOL_SAMPLES) / SAMPLE_RATE
