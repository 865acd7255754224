// A tree that stores its nodes yields the roots and proofs of the tree, for any size.
// Rules: FORMAT.md 20.3.
import { expect, test } from 'vitest'
import { StoredTree } from '../../../archive/log/stored-tree.ts'
import { inclusionProof, leafHash, rootOf } from '../../../archive/log/tree.ts'

const leaves = Array.from({ length: 70 }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)))
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')

test('stored trees of 0 to 70 leaves have the leaves, the root and the proofs of the tree', () => {
  for (let size = 0; size <= leaves.length; size += 1) {
    const all = leaves.slice(0, size)
    const tree = new StoredTree(size)
    for (const leaf of all) {
      expect(tree.isComplete).toBe(false)
      tree.add(leaf)
    }
    expect(tree.isComplete).toBe(true)
    expect(hex(tree.root())).toBe(hex(rootOf(all)))
    for (let index = 0; index < size; index += 1) {
      expect(hex(tree.leafAt(index))).toBe(hex(all[index]!))
      expect(tree.proofOf(index).map(hex)).toEqual(inclusionProof(all, index).map(hex))
    }
  }
})

test('a stored tree accepts no more leaves than announced', () => {
  const tree = new StoredTree(1)
  tree.add(leaves[0]!)
  expect(() => tree.add(leaves[1]!)).toThrow(RangeError)
})
