// Verifies the proof of a message step by step, from its text to the signed checkpoint (COMMANDS.md 1.2).
import { parseJson, stringifyJson } from '../base/json.ts'
import { isArchiveError, naming } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import { parseManifest } from '../format/manifest.ts'
import { isDay } from '../format/calendar.ts'
import { CHECKPOINT_FILE, isSha256, KEY_FILE, keyOf, LOG_FILE, manifestName, snapshotName } from '../format/paths.ts'
import { parseSnapshot } from '../format/snapshot.ts'
import { openCheckpoint, parseCheckpoint } from '../log/checkpoint.ts'
import { demandContinued } from '../log/continuity.ts'
import { leavesByDay, parseLog } from '../log/days.ts'
import { formatVkey, parseKeys, type Verifier } from '../log/note.ts'
import { messageLeafData, type RecordedEntry } from '../log/records.ts'
import { leafHash, rootOfInclusion } from '../log/tree.ts'
import { faultInLeaves } from '../log/upgrade.ts'
import type { Place, ReadFile } from '../place/place.ts'
import { type Problem, readFile } from './file.ts'
import { readLog } from './log.ts'

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
export class Refuted extends Error {}

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
  { proof: proofFile, message, text }: ProofFiles,
  keys: readonly Verifier[] | undefined,
  done: (step: string, message: string) => void,
): Promise<void> {
  const proof = readProof(proofFile)
  const [, id = ''] = proof.leaf.split('\n')
  if (id !== String(proof.message_id)) throw new Refuted('the leaf is of another message')
  checkContent({ ...(message && { message }), ...(text && { text }) }, proof.leaf, done)
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

/**
 * Checks a text and a record, where given, against the data of a leaf.
 * @throws Refuted
 */
export function checkContent(
  { message, text }: Omit<ProofFiles, 'proof'>,
  leafData: string,
  done: (step: string, message: string) => void,
): void {
  const [, id, , bodyHash = ''] = leafData.split('\n')
  if (text) {
    demand(sha256Of(text) === bodyHash, 'the text does not have the hash that the leaf names')
    done('text', `has the hash ${bodyHash}`)
  }
  if (message) {
    const { leaf, hasEntry } = leafOf(message, leafData)
    demand(leaf === leafData, 'the record of the message does not give the leaf')
    const unknown = hasEntry ? '' : '; its entry is not in the record and was not compared'
    done('message', `message ${id} gives the leaf${unknown}`)
  }
}

/** root → `<day>.json` → manifest */
async function followDay(
  place: Place,
  { day, root, count, snapshot_sha256 }: Proof,
  done: (step: string, message: string) => void,
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
  done: (step: string, message: string) => void,
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
    leaf?.sha256 === sha256Of(manifest),
    `${manifestName(day)} is not the newest leaf of ${day}`,
  )
  const fault = faultInLeaves(parseManifest(manifest), leaves)
  demand(fault === null, `${manifestName(day)}: ${fault}`)
  done('log', `${manifestName(day)} is leaf ${leaf?.index} of the log`)
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

/** @throws Refuted naming the file, if it cannot be read */
export function contentOf(file: ReadFile | Problem, name: string): Uint8Array {
  if ('problem' in file) throw new Refuted(`${name}: ${file.problem.message}`)
  return file.content
}

export function demand(isSo: boolean, message: string): void {
  if (!isSo) throw new Refuted(message)
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

/** The lines of a leaf with the hash of the entry, and with the salt. */
const ENTRY_LINE = 7
const SALT_LINE = 8
const NO_ENTRY = sha256Of(new Uint8Array())

/**
 * Computes the leaf from a record as a service returns it. What the record lacks is taken from the leaf: the directory
 * in the record of an entry, the entry in the record of a message, and the salt.
 * @returns the leaf, and whether its entry was computed too
 * @throws Refuted
 */
function leafOf(bytes: Uint8Array, leafData: string): { leaf: string; hasEntry: boolean } {
  const record = parseObject(bytes, 'the record of the message')
  const stated = leafData.split('\n')
  const bodyHash = String(record.body_hash)
  demand(
    sha256Of(Buffer.from(String(record.body))) === bodyHash,
    'the body in the record does not have its body_hash',
  )
  const entry = entryOf(record)
  const lines = messageLeafData({
    id: integerIn(record, record.id === undefined ? 'message_id' : 'id'),
    directory: String(record.directory ?? stated[2]),
    bodyHash,
    receivedAt: String(record.received_at),
    publishAt: String(record.publish_at),
    authorLabel: String(record.author_label),
    entry,
    salt: stated[SALT_LINE] || null,
  }).split('\n')
  if (!entry) lines[ENTRY_LINE] = stated[ENTRY_LINE] ?? ''
  return { leaf: lines.join('\n'), hasEntry: lines[ENTRY_LINE] === NO_ENTRY || entry !== null }
}

/** The question or contribution in a record of an investigation; null for a record of `/messages/<id>.json`. */
function entryOf(record: Record<string, unknown>): RecordedEntry | null {
  const { kind, title, sources, links } = record
  if (kind === undefined) return null
  return {
    investigationId: integerIn(record, 'investigation_id'),
    kind: String(kind),
    title: title === undefined ? null : String(title),
    sources: stringifyJson(sources),
    links: stringifyJson(links),
  }
}

function integerIn(record: Record<string, unknown>, name: string): bigint {
  const value = record[name]
  if (typeof value !== 'bigint')
    throw new Refuted(`the record of the message has no integer as ${name}`)
  return value
}

function parseObject(bytes: Uint8Array, name: string): Record<string, unknown> {
  try {
    const value = parseJson(Buffer.from(bytes).toString())
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new Refuted(`${name} is not a JSON object`)
}
