// Which of the 273 slots carries what: every 17th a sync tone that the receiver knows (SPEC.md 6.3), the others the code
// positions, interleaved so that a burst of lost slots looks random to the code (SPEC.md 6.2).
import { CODE_LENGTH, PERMUTATION, SLOTS, SYNC_PERIOD, SYNC_TONES } from './constants.ts'

/** SYNC_SLOTS[k] is the slot that carries SYNC_TONES[k]: 0, 17, ... 272. */
export const SYNC_SLOTS: Uint16Array = Uint16Array.from(SYNC_TONES, (_, k) => k * SYNC_PERIOD)

/** POSITION_SLOTS[i] is the slot (0 to 272) that carries code position i. */
export const POSITION_SLOTS: Uint16Array = Uint16Array.from(
  PERMUTATION,
  (data) => data + 1 + Math.floor(data / (SYNC_PERIOD - 1)),
)

/** Permutes 256 values from code order to slot order (273); the sync slots are left 0. */
export function interleave(values: Uint8Array): Uint8Array {
  const slots = new Uint8Array(SLOTS)
  for (let i = 0; i < CODE_LENGTH; i++) slots[POSITION_SLOTS[i]!] = values[i]!
  return slots
}

/** Writes the sync tones into a list of 273 tones, in place. */
export function insertSync(tones: Uint8Array): Uint8Array {
  for (const [k, slot] of SYNC_SLOTS.entries()) tones[slot] = SYNC_TONES[k]!
  return tones
}
