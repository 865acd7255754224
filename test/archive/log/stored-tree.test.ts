// A tree that stores its nodes yields the roots and proofs of the tree, for any size.
// Rules: FORMAT.md 20.3.
import { expect, test } from 'vitest'
import { StoredTree } from '../../../archive/log/stored-tree.ts'
import { leafHash, rootOf, rootOfInclusion } from '../../../archive/log/tree.ts'

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
      const root = rootOfInclusion(all[index]!, index, size, tree.proofOf(index))
      expect(hex(root!)).toBe(hex(rootOf(all)))
    }
  }
})

test('a stored tree has the root of each of its beginnings', () => {
  const tree = StoredTree.of(leaves)
  for (let size = 0; size <= leaves.length; size += 1)
    expect(hex(tree.rootAt(size))).toBe(hex(rootOf(leaves.slice(0, size))))
  expect(() => tree.rootAt(leaves.length + 1)).toThrow(RangeError)
})

test('a stored tree accepts no more leaves than announced', () => {
  const tree = new StoredTree(1)
  tree.add(leaves[0]!)
  expect(() => tree.add(leaves[1]!)).toThrow(RangeError)
})
