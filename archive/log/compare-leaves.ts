// Compares the leaves of a day with its records (FORMAT.md 22.1). Pure.
import type { SealedRecords } from '../format/snapshot.ts'
import { equal, GrowingTree, type Hash } from './tree.ts'

/**
 * Compares leaves with the records of their day, in memory that does not depend on their number.
 * @param leaves ascending by id
 * @param index that of a leaf to return
 * @returns how they differ, null if they do not; and that leaf, null if there is none
 */
export async function compareLeaves(
  leaves: AsyncIterable<Hash> | Iterable<Hash>,
  records: SealedRecords,
  index = -1n,
) {
  const tree = new GrowingTree()
  let wanted: Hash | null = null
  for await (const leaf of leaves) {
    if (BigInt(tree.size) === index) wanted = leaf
    tree.add(leaf)
  }
  return { fault: faultIn(tree, records), wanted }
}

function faultIn(tree: GrowingTree, records: SealedRecords): string | null {
  const [count, expected] = [BigInt(tree.size), BigInt(records.count)]
  if (count > expected) return `has more than the ${expected} leaves of the day`
  if (count < expected) return `has ${count} of the ${expected} leaves of the day`
  return equal(tree.root(), Buffer.from(records.root, 'hex'))
    ? null
    : 'has another root than the records of the day'
}
