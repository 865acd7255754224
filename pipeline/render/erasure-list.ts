// A list decoder for tones that are either known or missing: which bits of a frame it has to guess.
//
// The code is linear. So a missing bit is a variable, every other value a sum of variables, a frozen bit an equation
// between them, and a list of 32 paths all the values of five variables. What is known of a frame besides plays no part:
// the same bits are guessed for every day.
import { CODE_LENGTH, INFORMATION_POSITIONS } from '../../protocol/index.ts'

/** Variables that are open at a time: 32 paths, as in the list that the receiver begins with (SPEC.md 9.9). */
const OPEN_VARIABLES = 5
const LAYERS = Math.log2(CODE_LENGTH)
/** In place of a sum: nothing is known of a value. */
const MISSING = -1

/** A variable: a power of two that stands for it in sums, and the bit of the frame that it is. */
interface Variable {
  mask: number
  bit: number
}

/** Decodes once; sums are masks of variables, 0 for a value that is known outright. */
class ErasureList {
  /** Bits of the frame that were taken for 0, since the list had no room for both. */
  readonly guessed: number[] = []
  /** Oldest first. */
  readonly #open: Variable[] = []
  #bit = 0
  #isFrozen: readonly boolean[] = []
  readonly #sums = Array.from({ length: LAYERS + 1 }, (_, k) => new Int8Array(2 ** k))
  readonly #words = Array.from({ length: LAYERS + 1 }, (_, k) => new Int8Array(2 ** k))
  readonly #lefts = Array.from({ length: LAYERS + 1 }, (_, k) => new Int8Array(2 ** k))

  /** Decodes one level, of which the code bits with `isKnown` are known. */
  decodeLevel(positions: Uint8Array, isKnown: (i: number) => boolean): void {
    const information = new Set(positions)
    this.#isFrozen = Array.from({ length: CODE_LENGTH }, (_, i) => !information.has(i))
    const sums = this.#sums[LAYERS]!
    for (let i = 0; i < CODE_LENGTH; i++) sums[i] = isKnown(i) ? 0 : MISSING
    this.#decodeNode(LAYERS, 0)
  }

  /** From #sums[layer], where code bits may be missing, to #words[layer], where none is. */
  #decodeNode(layer: number, first: number): void {
    const [sums, words] = [this.#sums[layer]!, this.#words[layer]!]
    if (layer === 0) {
      words[0] = this.#decide(sums[0]!, this.#isFrozen[first]!)
      return
    }
    const half = 2 ** (layer - 1)
    const [below, left, decided] = [
      this.#sums[layer - 1]!,
      this.#lefts[layer - 1]!,
      this.#words[layer - 1]!,
    ]
    for (let a = 0; a < half; a++)
      below[a] =
        sums[a] === MISSING || sums[a + half] === MISSING ? MISSING : sums[a]! ^ sums[a + half]!
    this.#decodeNode(layer - 1, first)
    left.set(decided)
    for (let a = 0; a < half; a++) {
      const other = sums[a] === MISSING ? MISSING : sums[a]! ^ left[a]!
      below[a] = sums[a + half] === MISSING ? other : sums[a + half]!
    }
    this.#decodeNode(layer - 1, first + half)
    for (let a = 0; a < half; a++) {
      words[a] = left[a]! ^ decided[a]!
      words[a + half] = decided[a]!
    }
  }

  #decide(sum: number, isFrozen: boolean): number {
    if (isFrozen) {
      if (sum > 0) this.#equate(sum)
      return 0
    }
    const bit = this.#bit++
    return sum === MISSING ? this.#openVariable(bit) : sum
  }

  #openVariable(bit: number): number {
    if (this.#open.length === OPEN_VARIABLES) {
      const oldest = this.#open.shift()!
      this.guessed.push(oldest.bit)
      this.#add(oldest.mask, oldest.mask)
    }
    let mask = 1
    while (this.#open.some((variable) => variable.mask === mask)) mask *= 2
    this.#open.push({ mask, bit })
    return mask
  }

  /** A sum is 0: its newest variable is the sum of the others. */
  #equate(sum: number): void {
    const at = this.#open.findLastIndex(({ mask }) => (sum & mask) !== 0)
    const [{ mask }] = this.#open.splice(at, 1) as [Variable]
    this.#add(mask, sum)
  }

  /** Adds a sum to all sums that contain a variable, which so drops out of them. */
  #add(mask: number, sum: number): void {
    for (const layers of [this.#sums, this.#lefts, this.#words])
      for (const sums of layers)
        for (let i = 0; i < sums.length; i++)
          if (sums[i] !== MISSING && (sums[i]! & mask) !== 0) sums[i]! ^= sum
  }
}

/** The bits of a frame, 0 to 847, that the list decoder takes for 0 where only some code positions are known. */
export function guessedBits(isKnown: (position: number) => boolean): readonly number[] {
  const list = new ErasureList()
  for (const positions of INFORMATION_POSITIONS) list.decodeLevel(positions, isKnown)
  return list.guessed
}
