// Which of many values are the smallest, without sorting them.

/** Marks values for lists up to a fixed length; holds its working space. */
export class Selector {
  readonly #scratch: Float64Array

  constructor(capacity: number) {
    this.#scratch = new Float64Array(capacity)
  }

  /**
   * Sets marks[i] = 1 for the `keep` smallest of the first `count` values, 0 for the others. Every value below the
   * last one kept is in for certain; values equal to it fill what is left. (If ties pushed out better values, the true
   * path of a recording without noise, where thousands of ties occur, would be lost.)
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

  /** The median of all values, the upper one of two. */
  median(values: Float64Array): number {
    return this.valueAtRank(values, values.length, values.length >> 1)
  }

  /** The value with `rank` smaller ones among the first `count` (quickselect on a copy). */
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
