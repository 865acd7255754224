// Verifies the proof of a message step by step, from its text to the signed checkpoint (COMMANDS.md 1.2).
import { isArchiveError, naming } from '../errors.ts'
import { isDay } from '../format/calendar.ts'
import { sha256Of } from '../format/hash.ts'
import { parseManifest } from '../format/manifest.ts'
import {
  CHECKPOINT_FILE,
  isSha256,
  KEY_FILE,
  keyOf,
  LOG_FILE,
  manifestName,
  snapshotName,
} from '../format/paths.ts'
import { parseSnapshot } from '../format/snapshot.ts'
import { openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { leavesByDay, parseLog } from '../log/days.ts'
import { formatVkey, parseKeys, type Verifier } from '../log/note.ts'
import { leafHash, rootOfInclusion } from '../log/tree.ts'
import { faultInLeaves } from '../log/upgrade.ts'
import type { Place } from '../place/place.ts'
import { type ContentFiles, checkContent, parseObject } from './content.ts'
import { readFile } from './file.ts'
import { readLog } from './log.ts'
import { contentOf, type Done, demand, Refuted, type Step } from './steps.ts'

export interface ProofFiles extends ContentFiles {
  /** `<id>.proof.json` */
  proof: Uint8Array
}

interface Proof {
  message_id: bigint
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
  place: Place,
  files: ProofFiles,
  keys: readonly Verifier[] | undefined,
  onStep: (step: Step) => void,
): Promise<boolean> {
  try {
    await follow(place, files, keys, (step, message) => onStep({ step, ok: true, message }))
    return true
  } catch (error) {
    if (!(error instanceof Refuted) && !isArchiveError(error)) throw error
    onStep({ step: 'refuted', ok: false, message: error.message })
    return false
  }
}

async function follow(
  place: Place,
  { proof: proofFile, ...content }: ProofFiles,
  keys: readonly Verifier[] | undefined,
  done: Done,
): Promise<void> {
  const proof = readProof(proofFile)
  const [, id = ''] = proof.leaf.split('\n')
  if (id !== String(proof.message_id)) throw new Refuted('the leaf is of another message')
  checkContent(content, proof.leaf, done)
  const hashes = proof.hashes.map((hash) => Buffer.from(hash, 'hex'))
  const leaf = leafHash(Buffer.from(proof.leaf))
  const root = rootOfInclusion(leaf, proof.index, proof.count, hashes)
  demand(
    root !== null && Buffer.from(root).toString('hex') === proof.root,
    'the hashes do not lead from the leaf to the root',
  )
  done('root', `leaf ${proof.index} of ${proof.count} leads to the root ${proof.root}`)
  await followDay(place, proof, done)
  await followLog(place, proof, keys, done)
}

/** root → `<day>.json` → manifest */
async function followDay(
  place: Place,
  { day, root, count, snapshot_sha256 }: Proof,
  done: Done,
): Promise<void> {
  const file = await fileOf(place, day, snapshotName(day))
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
  const manifest = await fileOf(place, day, manifestName(day))
  demand(
    parseManifest(manifest).snapshot_file.sha256 === snapshot_sha256,
    `${manifestName(day)} names another ${snapshotName(day)}`,
  )
  done('manifest', `${manifestName(day)} names ${snapshotName(day)}`)
}

/** manifest → log → checkpoint → key */
async function followLog(
  place: Place,
  { day }: Proof,
  keys: readonly Verifier[] | undefined,
  done: Done,
): Promise<void> {
  const files = await readLog(place)
  const note = contentOf(files.checkpoint, CHECKPOINT_FILE)
  const checkpoint = naming(CHECKPOINT_FILE, () => parseCheckpoint(note))
  const log = contentOf(files.log, LOG_FILE)
  const entries = naming(LOG_FILE, () => parseLog(log)).slice(0, checkpoint.size)
  const leaves = leavesByDay(entries).get(day) ?? []
  const leaf = leaves.at(-1)
  demand(leaf !== undefined, `${day} is not in the signed log yet`)
  const manifest = await fileOf(place, day, manifestName(day))
  demand(
    leaf.sha256 === sha256Of(manifest),
    `${manifestName(day)} is not the newest leaf of ${day}`,
  )
  const fault = faultInLeaves(parseManifest(manifest), leaves)
  demand(fault === null, `${manifestName(day)}: ${fault}`)
  done('log', `${manifestName(day)} is leaf ${leaf.index} of the log`)
  demandContinued(entries, checkpoint)
  done('checkpoint', `the log has the root of the checkpoint, at size ${checkpoint.size}`)
  const known = keys ?? naming(KEY_FILE, () => parseKeys(contentOf(files.key, KEY_FILE)))
  const { verified } = naming(CHECKPOINT_FILE, () => openCheckpoint(note, known))
  const names = verified.map(formatVkey).join(', ')
  done('key', keys ? `signed by ${names}` : `signed by ${names}; the key itself was not checked`)
}

async function fileOf(place: Place, day: string, name: string): Promise<Uint8Array> {
  return contentOf(await readFile(place, keyOf(day, name)), name)
}

function readProof(bytes: Uint8Array): Proof {
  const proof = parseObject(bytes, 'the proof')
  const { message_id, day, leaf, hashes, root, snapshot_sha256 } = proof
  const [index, count] = [Number(proof.index), Number(proof.count)]
  const isWhole =
    [message_id, proof.index, proof.count].every((number) => typeof number === 'bigint') &&
    [index, count].every(Number.isSafeInteger) &&
    typeof day === 'string' &&
    isDay(day) &&
    typeof leaf === 'string' &&
    /^daysignal-message-v[12]\n/.test(leaf) &&
    Array.isArray(hashes) &&
    [root, snapshot_sha256, ...hashes].every((hash) => typeof hash === 'string' && isSha256(hash))
  if (!isWhole) throw new Refuted('the proof is not one of a message (FORMAT.md 20.3)')
  return { ...(proof as unknown as Proof), index, count }
}
