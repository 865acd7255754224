// Maps labels, the seven code bits of a position, to tones and back (SPEC.md 5.4 and 6.1).
import { CODE_LENGTH, LABEL_MASK, LEVELS, TONES } from './constants.ts'

/** REVERSED[v] is the 7-bit reversal of v: labels that differ in the last levels are far apart in frequency. */
const REVERSED = Uint8Array.from({ length: TONES }, (_, value) => {
  let reversed = 0
  for (let k = 0; k < LEVELS; k++) reversed |= ((value >> k) & 1) << (LEVELS - 1 - k)
  return reversed
})

/** Returns the labels of the 256 code positions, with the bit of level 0 most significant. */
export function joinLevels(codewords: readonly Uint8Array[]): Uint8Array {
  const labels = new Uint8Array(CODE_LENGTH)
  for (const word of codewords) {
    for (let i = 0; i < CODE_LENGTH; i++) labels[i] = (labels[i]! << 1) | word[i]!
  }
  return labels
}

/** Returns the tone that carries `label` at code position `i`. */
export function labelTone(label: number, i: number): number {
  return REVERSED[label ^ LABEL_MASK[i]!]!
}

/** Returns the label that `tone` carries at code position `i`: the inverse of `labelTone`. */
export function toneLabel(tone: number, i: number): number {
  return REVERSED[tone]! ^ LABEL_MASK[i]!
}
