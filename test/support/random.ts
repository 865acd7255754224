// A seeded random number generator: the same numbers in every run.

export interface Random {
  /** At least 0 and below 1. */
  uniform(): number
  /** A whole number from 0, each as likely. */
  below(limit: number): number
  /** One of the items, each as likely. */
  one<T>(items: readonly T[]): T
  /** Mean 0, variance 1. */
  gaussian(): number
}

/** Uses mulberry32, and the Box-Muller transform for gaussian numbers. */
export function random(seed: number): Random {
  let state = Math.imul(seed + 1, 0x9e3779b1)
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(uniform() * limit)
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T
  let spare: number | null = null
  const gaussian = (): number => {
    if (spare !== null) {
      const value = spare
      spare = null
      return value
    }
    const radius = Math.sqrt(-2 * Math.log(1 - uniform()))
    const angle = 2 * Math.PI * uniform()
    spare = radius * Math.sin(angle)
    return radius * Math.cos(angle)
  }
  return { uniform, below, one, gaussian }
}
