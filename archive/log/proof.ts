// Reads, writes and checks proofs that a leaf is in a log (C2SP tlog-proof, version 1).
import { ArchiveError, naming } from '../errors.ts'
import { type Checkpoint, openCheckpoint, parseCheckpoint, parseCount } from './checkpoint.ts'
import { fromBase64, toBase64, type Verifier } from './note.ts'
import type { StoredTree } from './stored-tree.ts'
import { equal, HASH_BYTES, type Hash, rootOfInclusion } from './tree.ts'

const HEADER = 'c2sp.org/tlog-proof@v1'

export interface Proof {
  /** The leaf's index in the log, from 0. */
  index: number
  /** The leaf's sibling first. */
  hashes: readonly Hash[]
  /** The signed note as the log published it. */
  checkpoint: string
}

export function formatProof({ index, hashes, checkpoint }: Proof): string {
  const lines = [HEADER, `index ${index}`, ...hashes.map(toBase64)]
  return `${lines.join('\n')}\n\n${checkpoint}`
}

/**
 * Parses a proof without verifying it. Extra data, which other logs may have, is ignored.
 * @throws ArchiveError `invalid_proof`
 */
export function parseProof(bytes: Uint8Array): Proof {
  const text = Buffer.from(bytes).toString()
  const end = text.indexOf('\n\n')
  if (end < 0) throw invalid('has no empty line before its checkpoint')
  const [header, ...lines] = text.slice(0, end).split('\n')
  if (header !== HEADER) throw invalid(`does not begin with the line ${HEADER}`)
  const extra = /^extra (.+)$/.exec(lines[0] ?? '')?.[1]
  if (extra !== undefined && fromBase64(extra) === null)
    throw invalid('its extra data is not base64')
  const [first = '', ...encoded] = extra === undefined ? lines : lines.slice(1)
  const index = parseCount(/^index (.*)$/.exec(first)?.[1] ?? '')
  if (index === null) throw invalid('its index is not a whole number')
  const hashes = encoded.map(parseHash)
  return { index, hashes, checkpoint: text.slice(end + 2) }
}

/**
 * Checks that a proof leads from a leaf to the root of its checkpoint.
 * @returns the checkpoint; its signatures are not verified
 * @throws ArchiveError `invalid_proof`, `invalid_note`, `invalid_checkpoint`
 */
export function checkpointProving(leaf: Hash, proof: Proof): Checkpoint {
  const checkpoint = parseCheckpoint(Buffer.from(proof.checkpoint))
  const root = rootOfInclusion(leaf, proof.index, checkpoint.size, proof.hashes)
  if (!root || !equal(root, checkpoint.root))
    throw invalid('its hashes do not lead from the leaf to the root of its checkpoint')
  return checkpoint
}

/**
 * Checks a stored proof, which may have an earlier checkpoint: it must prove the leaf in a checkpoint that a key of the
 * log has signed, with the root that the log had at that size.
 * @param tree the log's leaves
 * @param keys the log's keys, since an earlier checkpoint need not be signed by the current one
 * @throws ArchiveError `invalid_proof`, `invalid_note`, `invalid_checkpoint`, `unknown_signer`, `wrong_signature`
 */
export function demandStoredProof(
  bytes: Uint8Array,
  leaf: Hash,
  tree: StoredTree,
  keys: readonly Verifier[],
): void {
  const proof = parseProof(bytes)
  const { size, root } = checkpointProving(leaf, proof)
  if (size > tree.size || !equal(tree.rootAt(size), root))
    throw invalid('proves the day in another log')
  naming('its checkpoint', () => openCheckpoint(Buffer.from(proof.checkpoint), keys))
}

function parseHash(encoded: string): Hash {
  const hash = fromBase64(encoded)
  if (hash?.length !== HASH_BYTES) throw invalid('has a line that is not a SHA-256 in base64')
  return hash
}

function invalid(message: string): ArchiveError {
  return new ArchiveError('invalid_proof', message)
}
