// Interleaves code positions over the slots so that a burst of lost slots looks random to the code (SPEC.md 6.2).
import { CODE_LENGTH, PERMUTATION, SLOTS } from './constants.ts'
import { dataSlot } from './sync.ts'

/** POSITION_SLOTS[i] is the slot (0 to 272) that carries code position i. */
export const POSITION_SLOTS: Uint16Array = Uint16Array.from(PERMUTATION, dataSlot)

/** Permutes 256 values from code order to slot order (273); the sync slots are left 0. */
export function interleave(values: Uint8Array): Uint8Array {
  const slots = new Uint8Array(SLOTS)
  for (let i = 0; i < CODE_LENGTH; i++) slots[POSITION_SLOTS[i]!] = values[i]!
  return slots
}
