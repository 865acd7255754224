// Writes the inclusion proofs of days in the log, for plain file servers (FORMAT.md 19).
import { isArchiveError, naming } from '../errors.ts'
import { dayProofName, KEY_FILE, keyOf } from '../format/paths.ts'
import type { SignedCheckpoint } from '../log/continuity.ts'
import { dayLeaf, type LogEntry, newestLeaves } from '../log/days.ts'
import { parseKeys, parseNote, type Verifier } from '../log/note.ts'
import { demandStoredProof, formatProof, parseProof } from '../log/proof.ts'
import { StoredTree } from '../log/stored-tree.ts'
import type { WritablePlace } from '../place/place.ts'
import { findManifest } from './log-leaves.ts'

/** Whether a checkpoint, a signed note, has the quorum of witnesses that the operator wants. */
export type HasQuorum = (note: string) => boolean

/**
 * Writes each day's proof that is missing, damaged or of an older leaf.
 * @param hasQuorum if given, a proof with the current checkpoint is written once more when that has its quorum
 * @returns the names of the files that were written
 */
export async function writeProofs(
  place: WritablePlace,
  { checkpoint, entries }: { checkpoint: SignedCheckpoint | null; entries: readonly LogEntry[] },
  hasQuorum?: HasQuorum,
): Promise<string[]> {
  const isDue = dueProofs(checkpoint, hasQuorum)
  const written: string[] = []
  const { note, size } = checkpoint ?? { note: '', size: 0 }
  const signed = entries.slice(0, size)
  const tree = StoredTree.of(signed.map(dayLeaf))
  const published = await place.get(KEY_FILE)
  const keys = published ? naming(KEY_FILE, () => parseKeys(published.content)) : []
  for (const { day, index } of newestLeaves(signed).values()) {
    const name = keyOf(day, dayProofName(day))
    const present = await place.get(name)
    const isGood = present && isValid(present.content, index, tree, keys)
    if (isGood && !isDue(present.content)) continue
    if (!(await findManifest(place, day))) continue
    const proof = formatProof({ index, hashes: tree.proofOf(index), checkpoint: note })
    await place.put(name, Buffer.from(proof))
    written.push(name)
  }
  return written
}

/** Returns whether a valid proof is to be written again, with the lines that make its checkpoint's quorum. */
function dueProofs(
  checkpoint: SignedCheckpoint | null,
  hasQuorum: HasQuorum | undefined,
): (proof: Uint8Array) => boolean {
  if (!checkpoint || !hasQuorum?.(checkpoint.note)) return () => false
  const { text } = parseNote(Buffer.from(checkpoint.note))
  return (proof) => {
    const { checkpoint: carried } = parseProof(proof)
    return parseNote(Buffer.from(carried)).text === text && !hasQuorum(carried)
  }
}

function isValid(
  proof: Uint8Array,
  index: number,
  tree: StoredTree,
  keys: readonly Verifier[],
): boolean {
  try {
    demandStoredProof(proof, tree.leafAt(index), tree, keys)
    return true
  } catch (error) {
    if (isArchiveError(error)) return false
    throw error
  }
}
