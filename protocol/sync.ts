// The sync slots: every 17th slot carries a tone known to the receiver (SPEC.md 6.3).
import { SYNC_PERIOD, SYNC_TONES } from './constants.ts'

/** SYNC_SLOTS[k] is the slot that carries SYNC_TONES[k]: 0, 17, ... 272. */
export const SYNC_SLOTS: Uint16Array = Uint16Array.from(SYNC_TONES, (_, k) => k * SYNC_PERIOD)

/** Returns the slot (0 to 272) of data slot `d` (0 to 255). */
export function dataSlot(d: number): number {
  return d + 1 + Math.floor(d / (SYNC_PERIOD - 1))
}

/** Writes the sync tones into a list of 273 tones, in place. */
export function insertSync(tones: Uint8Array): Uint8Array {
  for (const [k, slot] of SYNC_SLOTS.entries()) tones[slot] = SYNC_TONES[k]!
  return tones
}
