// A Merkle tree that stores all of its nodes, so that a proof or an earlier root computes few hashes.
import { HASH_BYTES, type Hash, nodeHash, rootOf, siblingsOf, splitOf } from './tree.ts'

export class StoredTree {
  readonly size: number
  /** The roots of the complete subtrees of one leaf, of two, of four, … */
  readonly #rows: Buffer[] = []
  #added = 0

  /** @param size the number of leaves that will be added */
  constructor(size: number) {
    this.size = size
    for (let span = 1; span <= size; span *= 2)
      this.#rows.push(Buffer.alloc(Math.floor(size / span) * HASH_BYTES))
  }

  /** The tree of these leaves, in order. */
  static of(leaves: readonly Hash[]): StoredTree {
    const tree = new StoredTree(leaves.length)
    for (const leaf of leaves) tree.add(leaf)
    return tree
  }

  /** The memory that the nodes take: about 64 bytes for each leaf. */
  get bytes(): number {
    return this.#rows.reduce((bytes, row) => bytes + row.length, 0)
  }

  /** @throws RangeError if all leaves were added */
  add(leaf: Hash): void {
    if (this.#added === this.size) throw new RangeError(`more than ${this.size} leaves`)
    let [root, index] = [leaf, this.#added]
    this.#added += 1
    for (const row of this.#rows) {
      row.set(root, index * HASH_BYTES)
      if (index % 2 === 0) return
      root = nodeHash(row.subarray((index - 1) * HASH_BYTES, index * HASH_BYTES), root)
      index = (index - 1) / 2
    }
  }

  get isComplete(): boolean {
    return this.#added === this.size
  }

  leafAt(index: number): Hash {
    return this.#rootOf(index, index + 1)
  }

  /** The root over all leaves, once all are added. */
  root(): Hash {
    return this.rootAt(this.size)
  }

  /** The root over the first `size` leaves, once these are added. @throws RangeError if the tree has fewer */
  rootAt(size: number): Hash {
    if (size > this.size) throw new RangeError(`${size} of ${this.size} leaves`)
    return size === 0 ? rootOf([]) : this.#rootOf(0, size)
  }

  /**
   * The hashes that lead from a leaf to the root, the leaf's sibling first.
   * @throws RangeError unless `0 <= index < size`
   */
  proofOf(index: number): Hash[] {
    if (!(Number.isInteger(index) && index >= 0 && index < this.size))
      throw new RangeError(`leaf ${index} of ${this.size}`)
    return siblingsOf(index, this.size).map(({ start, end }) => this.#rootOf(start, end))
  }

  /** The root over the leaves `start` to `end`, exclusive. Complete subtrees are stored; the right edge is computed. */
  #rootOf(start: number, end: number): Hash {
    const count = end - start
    const row = this.#rows[Math.log2(count)]
    const index = start / count
    if (row && (index + 1) * HASH_BYTES <= row.length)
      return row.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
    const middle = start + splitOf(count)
    return nodeHash(this.#rootOf(start, middle), this.#rootOf(middle, end))
  }
}
