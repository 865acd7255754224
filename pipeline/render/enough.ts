// From which slot on the beginning of a transmission decodes: the turning point of the film.
//
// The receiver is left out of it on purpose, since a better one must not change films that are sealed. What counts is
// the ideal case: tones without noise at a known place, the rest of the slots missing. Then successive cancellation
// (SPEC.md 9.8) either knows a bit for certain or knows nothing of it. This decoder takes such a bit for 0, which most
// leading digits of the counters are; where few are left it tries all of their values, and the checksum tells which.
import { unpackBits } from '../../protocol/bits.ts'
import {
  CODE_LENGTH,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
} from '../../protocol/constants.ts'
import { POSITION_SLOTS } from '../../protocol/interleave.ts'
import { INFORMATION_POSITIONS, placeInformation } from '../../protocol/polar.ts'

/** The receiver of SPEC.md 9.3 searches no recording for a transmission that lacks 150 slots or more. */
const MOST_MISSING = 149
/** So many unknown bits are tried with all their values, 32 as in the receiver's list. */
const TRIED_BITS = 5

/** The smallest number of slots from the beginning from which on every prefix tells the whole frame. */
export function slotsEnough(frame: Uint8Array): number {
  const levels = placeInformation(unpackBits(frame))
  let slots = SLOTS - MOST_MISSING
  while (!isEnough(levels, slots)) slots++
  return slots
}

/** Seconds of the sound until the end of so many slots. */
export const secondsAfter = (slots: number): number =>
  (RAMP_SAMPLES + slots * SYMBOL_SAMPLES) / SAMPLE_RATE

/** Whether the first `slots` tones tell a frame, given as its bits before the polar transform, level by level. */
export function isEnough(levels: readonly Uint8Array[], slots: number): boolean {
  const unknown = unknownBits(slots)
  let count = 0
  let ones = 0
  for (const [level, bits] of levels.entries()) {
    for (const i of INFORMATION_POSITIONS[level]!) {
      if (unknown[i] === 0) continue
      count++
      ones += bits[i]!
    }
  }
  return ones === 0 || count <= TRIED_BITS
}

/**
 * 1 for each bit before the polar transform of which the first `slots` tones tell nothing even when all bits before it
 * are known. It is the same for every level, since a tone tells all seven of them.
 */
export function unknownBits(slots: number): Uint8Array {
  const unknown = Uint8Array.from(POSITION_SLOTS, (slot) => (slot < slots ? 0 : 1))
  for (let half = CODE_LENGTH / 2; half >= 1; half /= 2) {
    for (let block = 0; block < CODE_LENGTH; block += 2 * half) {
      for (let a = block; a < block + half; a++) {
        const [first, second] = [unknown[a]!, unknown[a + half]!]
        // The sum of two bits needs both; then the second is known from itself or from the sum and the first.
        unknown[a] = first | second
        unknown[a + half] = first & second
      }
    }
  }
  return unknown
}
