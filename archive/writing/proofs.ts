// Writes the inclusion proofs of days in the log, for plain file servers (FORMAT.md 19).
import { isArchiveError, naming } from '../errors.ts'
import { dayProofName, KEY_FILE, keyOf } from '../format/paths.ts'
import type { SignedCheckpoint } from '../log/continuity.ts'
import { dayLeaf, type LogEntry, newestLeaves } from '../log/days.ts'
import { parseKeys, parseNote, type Verifier } from '../log/note.ts'
import { demandStoredProof, formatProof, parseProof } from '../log/proof.ts'
import { StoredTree } from '../log/stored-tree.ts'
import type { WritablePlace } from '../place/place.ts'
import type { KnownFiles } from './known-files.ts'
import { findManifest } from './log-leaves.ts'

/** Whether a checkpoint, a signed note, has the quorum of witnesses that the operator wants. */
export type HasQuorum = (note: string) => boolean

/**
 * Writes each day's proof that is missing, damaged or of an older leaf.
 * @param known files that need not be read
 * @param hasQuorum if given, a proof with the current checkpoint is written once more when that has its quorum
 * @returns the names of the files that were written
 */
export async function writeProofs(
  place: WritablePlace,
  { checkpoint, entries }: { checkpoint: SignedCheckpoint | null; entries: readonly LogEntry[] },
  known: KnownFiles,
  hasQuorum?: HasQuorum,
): Promise<string[]> {
  const isOpen = openProofs(checkpoint, hasQuorum)
  const written: string[] = []
  const { note, size } = checkpoint ?? { note: '', size: 0 }
  const signed = entries.slice(0, size)
  const tree = StoredTree.of(signed.map(dayLeaf))
  const published = await place.get(KEY_FILE)
  const keys = published ? naming(KEY_FILE, () => parseKeys(published.content)) : []
  for (const { day, index } of newestLeaves(signed).values()) {
    const name = keyOf(day, dayProofName(day))
    const due = `index ${index}`
    if (known.fact(name) === due) continue
    const present = await place.get(name)
    if (present && isValid(present.content, index, tree, keys)) {
      const state = isOpen(present.content)
      if (state === 'final') known.note(name, present, due)
      if (state !== 'due') continue
    }
    if (!(await findManifest(place, day))) continue
    const proof = formatProof({ index, hashes: tree.proofOf(index), checkpoint: note })
    await place.put(name, Buffer.from(proof))
    written.push(name)
  }
  return written
}

/**
 * What is left to do for a valid proof: nothing ever, nothing while the checkpoint that it carries lacks a quorum, or to
 * write it with the lines that make the quorum.
 */
type ProofState = 'final' | 'waiting' | 'due'

function openProofs(
  checkpoint: SignedCheckpoint | null,
  hasQuorum: HasQuorum | undefined,
): (proof: Uint8Array) => ProofState {
  if (!checkpoint || !hasQuorum) return () => 'final'
  const { text } = parseNote(Buffer.from(checkpoint.note))
  const isReached = hasQuorum(checkpoint.note)
  return (proof) => {
    const { checkpoint: carried } = parseProof(proof)
    const isCurrent = parseNote(Buffer.from(carried)).text === text
    if (!isCurrent || hasQuorum(carried)) return 'final'
    return isReached ? 'due' : 'waiting'
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
