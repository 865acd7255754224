// A Merkle tree that stores all of its nodes, so that a proof computes few hashes.
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
    return this.size === 0 ? rootOf([]) : this.#rootOf(0, this.size)
  }

  /** As `inclusionProof`. */
  proofOf(index: number): Hash[] {
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
