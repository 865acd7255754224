// Labels and tones: the seven coded bits of a position, and the tone that stands for them (SPEC.md 5.4 and 6.1).
import { CODE_LENGTH, LABEL_MASK, LEVELS, TONES } from './constants.ts'

/** REVERSED[v] is the 7-bit number v read backwards: labels that differ late are far apart in frequency. */
const REVERSED = Uint8Array.from({ length: TONES }, (_, value) => {
  let reversed = 0
  for (let k = 0; k < LEVELS; k++) reversed |= ((value >> k) & 1) << (LEVELS - 1 - k)
  return reversed
})

/** The labels of the 256 code positions; the bit of level 0 is the most significant one. */
export function joinLevels(codeWords: readonly Uint8Array[]): Uint8Array {
  const labels = new Uint8Array(CODE_LENGTH)
  for (const word of codeWords) {
    for (let i = 0; i < CODE_LENGTH; i++) labels[i] = (labels[i]! << 1) | word[i]!
  }
  return labels
}

/** The tone that carries `label` at code position `i`. */
export function labelTone(label: number, i: number): number {
  return REVERSED[label ^ LABEL_MASK[i]!]!
}

/** The label that `tone` stands for at code position `i`, the inverse of `labelTone`. */
export function toneLabel(tone: number, i: number): number {
  return REVERSED[tone]! ^ LABEL_MASK[i]!
}
