// Selects the smallest of many values, or the value at a rank, without sorting them (quickselect).

/** Selects among up to `capacity` values; owns its scratch space. */
export class Selector {
  readonly #scratch: Float64Array

  constructor(capacity: number) {
    this.#scratch = new Float64Array(capacity)
  }

  /**
   * Sets marks[i] = 1 for the `keep` smallest of the first `count` values, 0 for the others. All values strictly below
   * the largest one kept are marked first; values equal to it fill the remaining room. (Otherwise ties could displace
   * better values, and a recording without noise, where thousands of ties occur, would lose its true path.)
   */
  markSmallest(values: Float64Array, count: number, keep: number, marks: Uint8Array): void {
    const limit = this.valueAtRank(values, count, keep - 1)
    let room = keep
    for (let i = 0; i < count; i++) {
      const below = values[i]! < limit
      marks[i] = below ? 1 : 0
      if (below) room--
    }
    for (let i = 0; room > 0; i++) {
      if (values[i]! !== limit) continue
      marks[i] = 1
      room--
    }
  }

  /** Returns the median; for an even number of values, the upper of the middle two. */
  median(values: Float64Array): number {
    return this.valueAtRank(values, values.length, values.length >> 1)
  }

  /** Returns the value at `rank` in ascending order, from 0, among the first `count` (quickselect on a copy). */
  valueAtRank(values: Float64Array, count: number, rank: number): number {
    const scratch = this.#scratch
    for (let i = 0; i < count; i++) scratch[i] = values[i]!
    let low = 0
    let high = count - 1
    while (low < high) {
      const pivot = scratch[(low + high) >> 1]!
      let i = low
      let j = high
      while (i <= j) {
        while (scratch[i]! < pivot) i++
        while (scratch[j]! > pivot) j--
        if (i > j) break
        const moved = scratch[i]!
        scratch[i++] = scratch[j]!
        scratch[j--] = moved
      }
      if (rank <= j) high = j
      else if (rank >= i) low = i
      else break
    }
    return scratch[rank]!
  }
}
