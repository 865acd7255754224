// The upper part of a large Merkle tree in bounded memory: the roots of blocks of leaves, and all nodes
// above them. To prove a leaf, only the leaves of its own block have to be read again.
import { GrowingTree, HASH_BYTES, type Hash, nodeHash, siblingsOf, splitOf } from './tree.ts'

export class UpperTree {
  readonly size: number
  /** Leaves per block, a power of two; the last block may have fewer. */
  readonly blockSize: number
  /** The roots of the complete subtrees of one block, of two, of four, … */
  readonly #rows: Buffer[] = []
  /** The leaves added since the last complete block. */
  #block = new GrowingTree()
  #added = 0

  /**
   * @param size the number of leaves that will be added
   * @param maxBlocks a power of two; the tree stores up to twice as many nodes
   */
  constructor(size: number, maxBlocks: number) {
    let blockSize = 1
    while (blockSize * maxBlocks < size) blockSize *= 2
    this.size = size
    this.blockSize = blockSize
    for (let span = blockSize; span <= size; span *= 2)
      this.#rows.push(Buffer.alloc(Math.floor(size / span) * HASH_BYTES))
  }

  get blocks(): number {
    return Math.ceil(this.size / this.blockSize)
  }

  /** The memory that the nodes take. */
  get bytes(): number {
    return this.#rows.reduce((bytes, row) => bytes + row.length, 0)
  }

  add(leaf: Hash): void {
    this.#block.add(leaf)
    this.#added += 1
    if (this.#block.size < this.blockSize) return
    let root = this.#block.root()
    this.#block = new GrowingTree()
    let index = this.#added / this.blockSize - 1
    for (const row of this.#rows) {
      row.set(root, index * HASH_BYTES)
      if (index % 2 === 0) return
      root = nodeHash(row.subarray((index - 1) * HASH_BYTES, index * HASH_BYTES), root)
      index = (index - 1) / 2
    }
  }

  /** The root over all leaves, once all are added. */
  root(): Hash {
    return this.size === 0 ? this.#block.root() : this.#rootOf(0, this.blocks)
  }

  blockRoot(block: number): Hash {
    return this.#rootOf(block, block + 1)
  }

  /** The hashes that lead from the root of a block to that of the tree, the block's sibling first. */
  proofOfBlock(block: number): Hash[] {
    return siblingsOf(block, this.blocks).map(({ start, end }) => this.#rootOf(start, end))
  }

  /** The root over the blocks `start` to `end`, exclusive. Complete subtrees are stored; the right edge is computed. */
  #rootOf(start: number, end: number): Hash {
    const count = end - start
    const row = this.#rows[Math.log2(count)]
    const index = start / count
    if (row && (index + 1) * HASH_BYTES <= row.length)
      return row.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
    if (count === 1) return this.#block.root()
    const middle = start + splitOf(count)
    return nodeHash(this.#rootOf(start, middle), this.#rootOf(middle, end))
  }
}
