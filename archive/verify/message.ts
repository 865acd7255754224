// Verifies the proof of a message step by step, from its text to the signed checkpoint (FORMAT.md 13.7).
import { ArchiveError } from '../errors.ts'
import { MAX_JSON_BYTES } from '../format/bounds.ts'
import { sha256Of } from '../format/hash.ts'
import { parseManifest } from '../format/manifest.ts'
import { isDay, isSha256, manifestName, snapshotName } from '../format/paths.ts'
import { parseSnapshot } from '../format/snapshot.ts'
import { openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { newestLeaves, parseLog } from '../log/days.ts'
import { formatVkey, parseKeys, type Verifier } from '../log/note.ts'
import { messageLeafData } from '../log/records.ts'
import { leafHash, rootOfInclusion } from '../log/tree.ts'
import { readLog } from './log.ts'
import type { Source, SourceFile } from './source.ts'

/** One step and its result. The first failed step is the last. */
export interface Step {
  step: string
  ok: boolean
  message: string
}

export interface ProofFiles {
  /** `<id>.proof.json` */
  proof: Uint8Array
  /** The message's record: `<id>.json`, or its entry in the investigation. */
  message?: Uint8Array
  /** `<id>.txt` */
  text?: Uint8Array
}

/** The error of a failed step. */
class Refuted extends Error {}

interface Proof {
  message_id: number
  day: string
  index: number
  count: number
  leaf: string
  hashes: string[]
  root: string
  snapshot_sha256: string
}

/**
 * Checks that a message is among the records of a day in a signed log.
 * @param keys trusted keys; by default those in the archive's `key`
 * @param onStep called with each step as soon as it has ended
 * @returns whether all steps succeeded
 */
export async function verifyMessage(
  source: Source,
  files: ProofFiles,
  keys: readonly Verifier[] | undefined,
  onStep: (step: Step) => void,
): Promise<boolean> {
  try {
    await follow(source, files, keys, (step, message) => onStep({ step, ok: true, message }))
    return true
  } catch (error) {
    if (!(error instanceof Refuted) && !(error instanceof ArchiveError)) throw error
    onStep({ step: 'refuted', ok: false, message: error.message })
    return false
  }
}

async function follow(
  source: Source,
  { proof: proofFile, message, text }: ProofFiles,
  keys: readonly Verifier[] | undefined,
  done: (step: string, message: string) => void,
): Promise<void> {
  const proof = readProof(proofFile)
  const [, id = '', , bodyHash = ''] = proof.leaf.split('\n')
  if (id !== String(proof.message_id)) throw new Refuted('the leaf is of another message')
  if (text) {
    demand(sha256Of(text) === bodyHash, 'the text does not have the hash that the leaf names')
    done('text', `has the hash ${bodyHash}`)
  }
  if (message) {
    demand(
      leafOf(message, proof) === proof.leaf,
      'the record of the message does not give the leaf',
    )
    done('message', `message ${id} gives the leaf`)
  }
  const hashes = proof.hashes.map((hash) => Buffer.from(hash, 'hex'))
  const leaf = leafHash(Buffer.from(proof.leaf))
  const root = rootOfInclusion(leaf, proof.index, proof.count, hashes)
  demand(
    root !== null && Buffer.from(root).toString('hex') === proof.root,
    'the hashes do not lead from the leaf to the root',
  )
  done('root', `leaf ${proof.index} of ${proof.count} leads to the root ${proof.root}`)
  await followDay(source, proof, done)
  await followLog(source, proof, keys, done)
}

/** root → `<day>.json` → manifest */
async function followDay(
  source: Source,
  { day, root, count, snapshot_sha256 }: Proof,
  done: (step: string, message: string) => void,
): Promise<void> {
  const file = await readFile(source, day, snapshotName(day))
  const { records } = parseSnapshot(file)
  demand(
    sha256Of(file) === snapshot_sha256,
    `${snapshotName(day)} does not have the hash of the proof`,
  )
  demand(
    records?.root === root && records.count === String(count),
    `${snapshotName(day)} states other records`,
  )
  done('snapshot', `${snapshotName(day)} states the root, for ${count} messages`)
  const manifest = await readFile(source, day, manifestName(day))
  demand(
    parseManifest(manifest).snapshot_file.sha256 === snapshot_sha256,
    `${manifestName(day)} names another ${snapshotName(day)}`,
  )
  done('manifest', `${manifestName(day)} names ${snapshotName(day)}`)
}

/** manifest → log → checkpoint → key */
async function followLog(
  source: Source,
  { day }: Proof,
  keys: readonly Verifier[] | undefined,
  done: (step: string, message: string) => void,
): Promise<void> {
  const files = await readLog(source)
  const note = bytesOf(files.checkpoint, 'checkpoint')
  const checkpoint = parseCheckpoint(note)
  const entries = parseLog(bytesOf(files.log, 'log')).slice(0, checkpoint.size)
  const leaf = newestLeaves(entries).get(day)
  demand(leaf !== undefined, `${day} is not in the signed log yet`)
  const manifest = await readFile(source, day, manifestName(day))
  demand(
    leaf?.sha256 === sha256Of(manifest),
    `${manifestName(day)} is not the newest leaf of ${day}`,
  )
  done('log', `${manifestName(day)} is leaf ${leaf?.index} of the log`)
  demandContinued(entries, checkpoint)
  done('checkpoint', `the log has the root of the checkpoint, at ${checkpoint.size} leaves`)
  const known = keys ?? parseKeys(bytesOf(files.key, 'key'))
  const { verified } = openCheckpoint(note, known)
  const names = verified.map(formatVkey).join(', ')
  done('key', keys ? `signed by ${names}` : `signed by ${names}; the key itself was not checked`)
}

async function readFile(source: Source, day: string, name: string): Promise<Uint8Array> {
  return bytesOf(await source.read(day, name, MAX_JSON_BYTES), name)
}

function bytesOf(file: SourceFile, name: string): Uint8Array {
  if ('problem' in file) throw new Refuted(`${name}: ${file.problem.message}`)
  return file.bytes
}

function demand(isSo: boolean, message: string): void {
  if (!isSo) throw new Refuted(message)
}

function readProof(bytes: Uint8Array): Proof {
  const proof = parseJson(bytes, 'the proof') as Partial<Proof>
  const { message_id, day, index, count, leaf, hashes, root, snapshot_sha256 } = proof
  const isWhole =
    [message_id, index, count].every(Number.isSafeInteger) &&
    typeof day === 'string' &&
    isDay(day) &&
    typeof leaf === 'string' &&
    leaf.startsWith('daysignal-message-v1\n') &&
    Array.isArray(hashes) &&
    [root, snapshot_sha256, ...hashes].every((hash) => typeof hash === 'string' && isSha256(hash))
  if (!isWhole) throw new Refuted('the proof is not one of a message (FORMAT.md 20.3)')
  return proof as Proof
}

/** Computes the leaf from a record as a service returns it. Properties that the record lacks come from the proof. */
function leafOf(bytes: Uint8Array, { leaf }: Proof): string {
  const record = parseJson(bytes, 'the record of the message') as Record<string, unknown>
  const stated = leaf.split('\n')
  const data = messageLeafData({
    id: BigInt(String(record.id ?? record.message_id ?? -1)),
    directory: String(record.directory ?? stated[2]),
    bodyHash: String(record.body_hash),
    receivedAt: String(record.received_at),
    publishAt: String(record.publish_at),
    authorLabel: String(record.author_label),
    entry: null,
  })
  // The record of a message does not contain the entry, so take its hash from the proof.
  return [...data.split('\n').slice(0, 7), ...stated.slice(7)].join('\n')
}

function parseJson(bytes: Uint8Array, name: string): unknown {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // Reported below, like a value that is not an object.
  }
  throw new Refuted(`${name} is not a JSON object`)
}
