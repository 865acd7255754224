// The upper part of a tree yields the roots and proofs of the whole tree, for any size and number of blocks.
// Rules: FORMAT.md 20.3.
import { expect, test } from 'vitest'
import { inclusionProof, leafHash, rootOf } from '../../../archive/log/tree.ts'
import { UpperTree } from '../../../archive/log/upper-tree.ts'

const leaves = Array.from({ length: 70 }, (_, i) => leafHash(Buffer.from(`leaf ${i}`)))
const hex = (hash: Uint8Array) => Buffer.from(hash).toString('hex')

test('trees of 0 to 70 leaves in blocks of 1 to 64 have the root and the proofs of the whole tree', () => {
  for (let size = 0; size <= leaves.length; size += 1)
    for (const maxBlocks of [1, 2, 8, 64]) {
      const all = leaves.slice(0, size)
      const tree = new UpperTree(size, maxBlocks)
      for (const leaf of all) tree.add(leaf)
      expect(hex(tree.root())).toBe(hex(rootOf(all)))
      for (let block = 0; block < tree.blocks; block += 1) {
        const first = block * tree.blockSize
        const own = all.slice(first, first + tree.blockSize)
        expect(hex(tree.blockRoot(block))).toBe(hex(rootOf(own)))
        const path = [...inclusionProof(own, own.length - 1), ...tree.proofOfBlock(block)]
        expect(path.map(hex)).toEqual(inclusionProof(all, first + own.length - 1).map(hex))
      }
    }
})

test('a tree has at most the given number of blocks, and stores at most twice as many nodes', () => {
  const tree = new UpperTree(200_000, 32_768)
  expect(tree.blockSize).toBe(8)
  expect(tree.blocks).toBe(25_000)
  expect(new UpperTree(32_768, 32_768)).toMatchObject({ blockSize: 1, bytes: 65_535 * 32 })
  expect(new UpperTree(262_144, 32_768)).toMatchObject({ blockSize: 8, bytes: 65_535 * 32 })
})
