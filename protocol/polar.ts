// The polar codes of the seven levels: information positions and transform (SPEC.md 5.1 to 5.3).
import { CODE_LENGTH, INFORMATION_COUNTS } from './constants.ts'

/** The information positions of each level, ascending; all other positions are frozen to 0. */
export const INFORMATION_POSITIONS: readonly Uint8Array[] = INFORMATION_COUNTS.map(mostReliable)

/** Returns the polarization weight of position `i`, the sum of 2^(k/4) over its set bits k: higher is more reliable. */
function reliability(i: number): number {
  let weight = 0
  for (let k = 0; i >> k; k++) if ((i >> k) & 1) weight += 2 ** (k / 4)
  return weight
}

function mostReliable(count: number): Uint8Array {
  return Uint8Array.from({ length: CODE_LENGTH }, (_, i) => i)
    .sort((a, b) => reliability(b) - reliability(a))
    .slice(0, count)
    .sort()
}

/** Multiplies 2^n `bits` by the n-th Kronecker power of [[1,0],[1,1]] over GF(2), in place. It is its own inverse. */
export function polarTransform(bits: Uint8Array): Uint8Array {
  for (let half = 1; half < bits.length; half *= 2) {
    for (let block = 0; block < bits.length; block += 2 * half) {
      for (let a = block; a < block + half; a++) bits[a]! ^= bits[a + half]!
    }
  }
  return bits
}

/** Places the bits of a frame on the information positions of the seven levels, level 0 first, before the transform. */
export function placeInformation(frameBits: Uint8Array): Uint8Array[] {
  let next = 0
  return INFORMATION_POSITIONS.map((positions) => {
    const level = new Uint8Array(CODE_LENGTH)
    for (const i of positions) level[i] = frameBits[next++]!
    return level
  })
}

/** Encodes the bits of a frame as the codewords of the seven levels, 256 bits each. */
export function encodeLevels(frameBits: Uint8Array): Uint8Array[] {
  return placeInformation(frameBits).map(polarTransform)
}
