// The Merkle tree of a log (RFC 6962 section 2.1, with SHA-256): root, proofs, and their verification.
import { hash } from 'node:crypto'

/** A SHA-256, 32 bytes. */
export type Hash = Uint8Array

export const HASH_BYTES = 32

/** Set apart by their first byte, so that no node passes for a leaf. */
const LEAF_PREFIX = Uint8Array.of(0)
const NODE_PREFIX = Uint8Array.of(1)

/** The hash of a leaf's data. */
export function leafHash(data: Uint8Array): Hash {
  return sha256(LEAF_PREFIX, data)
}

export function nodeHash(left: Hash, right: Hash): Hash {
  return sha256(NODE_PREFIX, left, right)
}

/** The root of a tree to which leaves are added one by one. */
export class GrowingTree {
  /** The roots of the complete subtrees that the leaves fill, the largest first. */
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

  /** That of no leaf is the hash of nothing. */
  root(): Hash {
    if (this.#size === 0) return sha256()
    return this.#complete.reduceRight((right, left) => nodeHash(left, right))
  }
}

/** The root over leaves in their order. */
export function rootOf(leaves: readonly Hash[]): Hash {
  const tree = new GrowingTree()
  for (const leaf of leaves) tree.add(leaf)
  return tree.root()
}

/** The root at each size, from 0 on. */
export function rootsOf(leaves: readonly Hash[]): Hash[] {
  const tree = new GrowingTree()
  return [
    tree.root(),
    ...leaves.map((leaf) => {
      tree.add(leaf)
      return tree.root()
    }),
  ]
}

/** Roots of subtrees that were computed already, by their first leaf and the one after the last. */
export type KnownRoots = Map<string, Hash>

/**
 * The hashes that lead from a leaf to the root, the leaf's sibling first.
 * @param known makes many proofs of one tree cheap
 * @throws RangeError unless `0 <= index < leaves.length`
 */
export function inclusionProof(
  leaves: readonly Hash[],
  index: number,
  known: KnownRoots = new Map(),
): Hash[] {
  if (!(Number.isInteger(index) && index >= 0 && index < leaves.length))
    throw new RangeError(`leaf ${index} of ${leaves.length}`)
  return siblingsOf(index, leaves.length).map(({ start, end }) => {
    const root = known.get(`${start}-${end}`) ?? rootOf(leaves.slice(start, end))
    known.set(`${start}-${end}`, root)
    return root
  })
}

/**
 * The root that an inclusion proof leads to.
 * @returns null when a tree of that size has no such leaf, or its proof another length
 */
export function rootOfInclusion(
  leaf: Hash,
  index: number,
  size: number,
  hashes: readonly Hash[],
): Hash | null {
  if (!(isCount(index) && isCount(size) && index < size)) return null
  const siblings = siblingsOf(index, size)
  if (siblings.length !== hashes.length) return null
  return siblings.reduce((root, { end }, level) => {
    const sibling = hashes[level] as Hash
    return end <= index ? nodeHash(sibling, root) : nodeHash(root, sibling)
  }, leaf)
}

/** A tree as a checkpoint states it. */
export interface TreeHead {
  size: number
  root: Hash
}

/** Whether two hashes are the same. */
export function equal(a: Hash, b: Hash): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}

/** The subtrees next to the path from a leaf to the root, the leaf's sibling first: leaves from `start` up to `end`. */
export function siblingsOf(index: number, size: number): { start: number; end: number }[] {
  const siblings: { start: number; end: number }[] = []
  let [start, end] = [0, size]
  while (end - start > 1) {
    const middle = start + splitOf(end - start)
    const isLeft = index < middle
    siblings.push(isLeft ? { start: middle, end } : { start, end: middle })
    if (isLeft) end = middle
    else start = middle
  }
  return siblings.reverse()
}

/** The largest power of two below a size of at least 2. */
export function splitOf(size: number): number {
  let split = 1
  while (split * 2 < size) split *= 2
  return split
}

/** Whether a value can be a number of leaves. */
function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}

function sha256(...parts: Uint8Array[]): Hash {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}
