// Writes the proofs that days are in the log, for plain file servers (FORMAT.md 19).
import { dayProofName } from '../format/paths.ts'
import type { SignedCheckpoint } from '../log/continuity.ts'
import { dayLeaf, type LogEntry, newestLeaves } from '../log/days.ts'
import { formatProof } from '../log/proof.ts'
import { inclusionProof, type KnownRoots } from '../log/tree.ts'
import { type Place, textOf } from '../place/place.ts'
import type { KnownFiles } from './known-files.ts'
import { findManifest } from './leaves.ts'

/**
 * Writes the proofs that are missing, and those of days that have a newer leaf.
 * @param known files that need not be read
 * @returns the names of the files that were written
 */
export async function writeProofs(
  place: Place,
  { checkpoint, entries }: { checkpoint: SignedCheckpoint | null; entries: readonly LogEntry[] },
  known: KnownFiles,
): Promise<string[]> {
  const written: string[] = []
  const { note, size } = checkpoint ?? { note: '', size: 0 }
  const signed = entries.slice(0, size)
  const leaves = signed.map(dayLeaf)
  const roots: KnownRoots = new Map()
  for (const { day, index } of newestLeaves(signed).values()) {
    const name = `${day}/${dayProofName(day)}`
    const due = `index ${index}`
    if (known.fact(name) === due) continue
    const present = await place.get(name)
    if (present && textOf(present).split('\n')[1] === due) {
      known.note(name, present, due)
      continue
    }
    if (!(await findManifest(place, day))) continue
    const hashes = inclusionProof(leaves, index, roots)
    const proof = formatProof({ index, hashes, checkpoint: note })
    await place.put(name, Buffer.from(proof))
    written.push(name)
  }
  return written
}
