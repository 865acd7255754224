// Computes how many slots of a transmission are enough to decode it: the turning point of the film (WRITING.md 4.1).
//
// The receiver is deliberately not used, as a better one must not change films that are sealed. The ideal case counts:
// tones without noise at a known alignment, and the remaining slots erased. A decoder that guesses 0 for the bits it
// cannot determine, which is what most leading digits of the counters are, then decodes the frame if they are 0.
import {
  CODE_LENGTH,
  INFORMATION_POSITIONS,
  POSITION_SLOTS,
  RAMP_SAMPLES,
  SAMPLE_RATE,
  SLOTS,
  SYMBOL_SAMPLES,
  unpackBits,
} from '../../protocol/index.ts'

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

// A list decoder for the erasure channel, which finds the bits of a frame that have to be guessed (WRITING.md 4.1).
//
// As the code is linear, an undetermined bit is a variable, every other value is a sum (XOR) of variables, a frozen bit
// is an equation between them, and a list of 32 paths is the set of all values of five variables. No prior is used, and
// the values of the known tones do not matter, so the guessed bits are the same for every day.

/** Maximum number of free variables: five are a list of 32 paths. */
const MAX_VARIABLES = 5
const LAYERS = Math.log2(CODE_LENGTH)
/** Marks an erased value instead of a sum. */
const ERASED = -1

/** A free variable: the power of two that represents it in sums, and its bit in the frame. */
interface Variable {
  mask: number
  bit: number
}

/** Decodes one frame. Sums are bit masks of variables; a known value is taken as 0, by linearity. */
class ErasureList {
  /** Bits of the frame that were guessed as 0 because the list was full. */
  readonly guessed: number[] = []
  /** The free variables, oldest first. */
  readonly #variables: Variable[] = []
  #bit = 0
  #isFrozen: readonly boolean[] = []
  readonly #sums = Array.from({ length: LAYERS + 1 }, (_, k) => new Int8Array(2 ** k))
  readonly #words = Array.from({ length: LAYERS + 1 }, (_, k) => new Int8Array(2 ** k))
  readonly #lefts = Array.from({ length: LAYERS + 1 }, (_, k) => new Int8Array(2 ** k))

  /** Decodes one level. @param isKnown whether a code bit is known, rather than erased */
  decodeLevel(positions: Uint8Array, isKnown: (i: number) => boolean): void {
    const information = new Set(positions)
    this.#isFrozen = Array.from({ length: CODE_LENGTH }, (_, i) => !information.has(i))
    const sums = this.#sums[LAYERS]!
    for (let i = 0; i < CODE_LENGTH; i++) sums[i] = isKnown(i) ? 0 : ERASED
    this.#decodeNode(LAYERS, 0)
  }

  /** Decodes #sums[layer], which may contain erasures, to #words[layer], which does not. */
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
        sums[a] === ERASED || sums[a + half] === ERASED ? ERASED : sums[a]! ^ sums[a + half]!
    this.#decodeNode(layer - 1, first)
    left.set(decided)
    for (let a = 0; a < half; a++) {
      const other = sums[a] === ERASED ? ERASED : sums[a]! ^ left[a]!
      below[a] = sums[a + half] === ERASED ? other : sums[a + half]!
    }
    this.#decodeNode(layer - 1, first + half)
    for (let a = 0; a < half; a++) {
      words[a] = left[a]! ^ decided[a]!
      words[a + half] = decided[a]!
    }
  }

  #decide(sum: number, isFrozen: boolean): number {
    if (isFrozen) {
      if (sum > 0) this.#eliminate(sum)
      return 0
    }
    const bit = this.#bit++
    return sum === ERASED ? this.#addVariable(bit) : sum
  }

  #addVariable(bit: number): number {
    if (this.#variables.length === MAX_VARIABLES) {
      const oldest = this.#variables.shift()!
      this.guessed.push(oldest.bit)
      this.#cancel(oldest.mask, oldest.mask)
    }
    let mask = 1
    while (this.#variables.some((variable) => variable.mask === mask)) mask *= 2
    this.#variables.push({ mask, bit })
    return mask
  }

  /** Eliminates the newest variable of a sum that is known to be 0. */
  #eliminate(sum: number): void {
    const at = this.#variables.findLastIndex(({ mask }) => (sum & mask) !== 0)
    const [{ mask }] = this.#variables.splice(at, 1) as [Variable]
    this.#cancel(mask, sum)
  }

  /** Adds a sum to all sums that contain the variable `mask`, which cancels it. */
  #cancel(mask: number, sum: number): void {
    for (const layers of [this.#sums, this.#lefts, this.#words])
      for (const sums of layers)
        for (let i = 0; i < sums.length; i++)
          if (sums[i] !== ERASED && (sums[i]! & mask) !== 0) sums[i]! ^= sum
  }
}

/** Returns the bits of a frame, 0 to 847, that the list decoder guesses as 0 if only some code positions are known. */
function guessedBits(isKnown: (position: number) => boolean): readonly number[] {
  const list = new ErasureList()
  for (const positions of INFORMATION_POSITIONS) list.decodeLevel(positions, isKnown)
  return list.guessed
}
