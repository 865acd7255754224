// Computes how many slots of a transmission are enough to decode it: the turning point of the film (WRITING.md 4.1).
//
// The receiver is deliberately not used, as a better one must not change films that are sealed. The ideal case counts:
// tones without noise at a known alignment, and the remaining slots erased. A decoder that guesses 0 for the bits it
// cannot determine, which is what most leading digits of the counters are, then decodes the frame if they are 0.
import {
  POSITION_SLOTS,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  unpackBits,
} from '../../protocol/index.ts'
import { guessedBits } from './erasure-list.ts'

/** The receiver of SPEC.md 9.3 does not search for a transmission of which 150 slots or more are missing at the end. */
const MOST_MISSING = 149

const guessed = new Map<number, readonly number[]>()

/** Returns the bits of any frame that have to be guessed if only its first `slots` tones are known. */
export function guessedBitsAfter(slots: number): readonly number[] {
  const bits = guessed.get(slots) ?? guessedBits((i) => POSITION_SLOTS[i]! < slots)
  guessed.set(slots, bits)
  return bits
}

/** Returns the smallest number of slots such that this prefix and every longer one determine the frame. */
export function slotsNeeded(frame: Uint8Array): number {
  const bits = unpackBits(frame)
  const isEnough = (slots: number) => guessedBitsAfter(slots).every((bit) => bits[bit] === 0)
  let slots = SLOTS
  while (slots > SLOTS - MOST_MISSING && isEnough(slots - 1)) slots--
  return slots
}

/** Returns the time from the beginning of the sound to the end of this many slots [s]. */
export const secondsAfter = (slots: number): number =>
  (RAMP_SAMPLES + slots * SYMBOL_SAMPLES) / SAMPLE_RATE
