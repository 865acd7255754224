// Sums up the leaves of a day, and compares the sum with the records of the day (FORMAT.md 22.1). Pure.
import type { SealedRecords } from '../format/snapshot.ts'
import { equal, GrowingTree, type Hash } from './tree.ts'

export interface LeafSum {
  count: bigint
  root: Hash
  /** The leaf at the index that was asked for; null if there is none. */
  wanted: Hash | null
}

/**
 * Sums up leaves, in memory that does not depend on their number.
 * @param leaves ascending by id
 * @param index that of a leaf to return
 */
export async function sumOfLeaves(
  leaves: AsyncIterable<Hash> | Iterable<Hash>,
  index = -1n,
): Promise<LeafSum> {
  const tree = new GrowingTree()
  let wanted: Hash | null = null
  for await (const leaf of leaves) {
    if (BigInt(tree.size) === index) wanted = leaf
    tree.add(leaf)
  }
  return { count: BigInt(tree.size), root: tree.root(), wanted }
}

/** Returns how leaves differ from the records of their day; null if they do not. */
export function faultInSum({ count, root }: LeafSum, records: SealedRecords): string | null {
  const expected = BigInt(records.count)
  if (count > expected) return `has more than the ${expected} leaves of the day`
  if (count < expected) return `has ${count} of the ${expected} leaves of the day`
  return equal(root, Buffer.from(records.root, 'hex'))
    ? null
    : 'has another root than the records of the day'
}
