// The Merkle tree of a log (RFC 6962 section 2.1, SHA-256): roots and consistency proofs.
import { hash } from 'node:crypto'

/** A SHA-256, 32 bytes. */
export type Hash = Uint8Array

export const HASH_BYTES = 32

/** Domain separation, so that a node cannot be passed off as a leaf. */
const LEAF_PREFIX = Uint8Array.of(0)
const NODE_PREFIX = Uint8Array.of(1)

export function leafHash(data: Uint8Array): Hash {
  return sha256(LEAF_PREFIX, data)
}

function nodeHash(left: Hash, right: Hash): Hash {
  return sha256(NODE_PREFIX, left, right)
}

/** Computes the root of a tree incrementally, in memory proportional to its height. */
export class GrowingTree {
  /** The roots of the complete subtrees, largest first. */
  readonly #complete: Hash[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(leaf: Hash): void {
    let root = leaf
    for (let size = this.#size; size % 2 === 1; size = (size - 1) / 2)
      root = nodeHash(this.#complete.pop() as Hash, root)
    this.#complete.push(root)
    this.#size += 1
  }

  /** The root of an empty tree is the hash of the empty string. */
  root(): Hash {
    if (this.#size === 0) return sha256()
    return this.#complete.reduceRight((right, left) => nodeHash(left, right))
  }
}

export function rootOf(leaves: readonly Hash[]): Hash {
  const tree = new GrowingTree()
  for (const leaf of leaves) tree.add(leaf)
  return tree.root()
}

/**
 * The hashes that show that a tree continues an earlier one (RFC 6962 section 2.1.2).
 * @param size of the earlier tree, from 1 to the number of leaves; of an equal one the proof is empty
 */
export function consistencyProof(leaves: readonly Hash[], size: number): Hash[] {
  return subtreeProof(leaves, size, true)
}

/** @param isWhole whether the first `size` leaves are the earlier tree, whose root the verifier knows */
function subtreeProof(leaves: readonly Hash[], size: number, isWhole: boolean): Hash[] {
  if (size === leaves.length) return isWhole ? [] : [rootOf(leaves)]
  const split = splitOf(leaves.length)
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)]
  return size <= split
    ? [...subtreeProof(left, size, isWhole), rootOf(right)]
    : [...subtreeProof(right, size - split, false), rootOf(left)]
}

export function equal(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** The largest power of two smaller than `size`, which must be at least 2. */
function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

function sha256(...parts: Uint8Array[]): Hash {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}
