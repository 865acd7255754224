// Proofs that a Merkle tree begins with the leaves of a smaller one (RFC 6962 section 2.1.2), for those who keep checkpoints
// and not the log. No file of an archive holds one: `log` itself is small.
import {
  equal,
  type Hash,
  isCount,
  nodeHash,
  rootOf,
  sidesOf,
  splitOf,
  subtreeRoot,
  type TreeHead,
} from './tree.ts'

/**
 * The hashes that show that the tree continues the one of its first leaves.
 * @throws RangeError unless `0 <= size <= leaves.length`
 */
export function consistencyProof(leaves: readonly Hash[], size: number): Hash[] {
  if (!(isCount(size) && size <= leaves.length))
    throw new RangeError(`the first ${size} of ${leaves.length} leaves`)
  if (size === 0 || size === leaves.length) return []
  const hashes: Hash[] = []
  let [start, end] = [0, leaves.length]
  while (end !== size) {
    const middle = start + splitOf(end - start)
    const isLeft = size <= middle
    hashes.push(isLeft ? subtreeRoot(leaves, middle, end) : subtreeRoot(leaves, start, middle))
    if (isLeft) end = middle
    else start = middle
  }
  // The old tree is this subtree when it began at the left edge; its root is then known.
  if (start !== 0) hashes.push(subtreeRoot(leaves, start, end))
  return hashes.reverse()
}

/** Whether a consistency proof shows that the newer tree begins with the leaves of the older one. */
export function isConsistent(older: TreeHead, newer: TreeHead, hashes: readonly Hash[]): boolean {
  if (!(isCount(older.size) && isCount(newer.size) && older.size <= newer.size)) return false
  if (older.size === newer.size) return hashes.length === 0 && equal(older.root, newer.root)
  if (older.size === 0) return hashes.length === 0 && equal(older.root, rootOf([]))
  // The path of the old tree's last leaf, from its largest complete subtree on.
  let complete = 0
  while (older.size % 2 ** (complete + 1) === 0) complete += 1
  const index = older.size / 2 ** complete - 1
  const sides = sidesOf(index, Math.ceil(newer.size / 2 ** complete))
  const [first, rest] =
    older.size === 2 ** complete ? [older.root, hashes] : [hashes[0], hashes.slice(1)]
  if (first === undefined || sides.length !== rest.length) return false
  let [oldRoot, newRoot] = [first, first]
  for (const [level, sibling] of rest.entries()) {
    if (sides[level] === 'left') oldRoot = nodeHash(sibling, oldRoot)
    newRoot = sides[level] === 'left' ? nodeHash(sibling, newRoot) : nodeHash(newRoot, sibling)
  }
  return equal(oldRoot, older.root) && equal(newRoot, newer.root)
}
