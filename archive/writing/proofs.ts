// Writes the inclusion proofs of days in the log, for plain file servers (FORMAT.md 19).
import { isArchiveError, naming } from '../errors.ts'
import { dayProofName, KEY_FILE, keyOf } from '../format/paths.ts'
import type { SignedCheckpoint } from '../log/continuity.ts'
import { dayLeaf, type LogEntry, newestLeaves } from '../log/days.ts'
import { parseKeys, type Verifier } from '../log/note.ts'
import { demandStoredProof, formatProof } from '../log/proof.ts'
import { type Hash, inclusionProof, type KnownRoots, rootsOf } from '../log/tree.ts'
import type { WritablePlace } from '../place/place.ts'
import type { KnownFiles } from './known-files.ts'
import { findManifest } from './leaves.ts'

/**
 * Writes each day's proof that is missing, damaged or of an older leaf.
 * @param known files that need not be read
 * @returns the names of the files that were written
 */
export async function writeProofs(
  place: WritablePlace,
  { checkpoint, entries }: { checkpoint: SignedCheckpoint | null; entries: readonly LogEntry[] },
  known: KnownFiles,
): Promise<string[]> {
  const written: string[] = []
  const { note, size } = checkpoint ?? { note: '', size: 0 }
  const signed = entries.slice(0, size)
  const leaves = signed.map(dayLeaf)
  const published = await place.get(KEY_FILE)
  const keys = published ? naming(KEY_FILE, () => parseKeys(published.content)) : []
  const roots = rootsOf(leaves)
  const subtrees: KnownRoots = new Map()
  for (const { day, index } of newestLeaves(signed).values()) {
    const name = keyOf(day, dayProofName(day))
    const due = `index ${index}`
    if (known.fact(name) === due) continue
    const present = await place.get(name)
    if (present && isValid(present.content, leaves[index] as Hash, roots, keys)) {
      known.note(name, present, due)
      continue
    }
    if (!(await findManifest(place, day))) continue
    const hashes = inclusionProof(leaves, index, subtrees)
    const proof = formatProof({ index, hashes, checkpoint: note })
    await place.put(name, Buffer.from(proof))
    written.push(name)
  }
  return written
}

function isValid(
  proof: Uint8Array,
  leaf: Hash,
  roots: readonly Hash[],
  keys: readonly Verifier[],
): boolean {
  try {
    demandStoredProof(proof, leaf, roots, keys)
    return true
  } catch (error) {
    if (isArchiveError(error)) return false
    throw error
  }
}
