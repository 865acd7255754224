// Reads the keys of witnesses and verifies their cosignatures of checkpoints (C2SP tlog-cosignature, cosignature/v1). Pure.
import { verify } from 'node:crypto'
import { ArchiveError, orNull } from '../base/errors.ts'
import {
  ed25519Key,
  isSameSigner,
  type Note,
  parseAnyVkey,
  type Signature,
  signatureLine,
  type Verifier,
} from './note.ts'

/** The signature types of cosigners: the byte in a key's id and in its vkey. */
const ED25519_COSIGNATURE = 0x04
const ML_DSA_44_COSIGNATURE = 0x06
const MATERIAL_BYTES: Readonly<Record<number, number>> = {
  [ED25519_COSIGNATURE]: 32,
  [ML_DSA_44_COSIGNATURE]: 1312,
}

const TIMESTAMP_BYTES = 8
const ED25519_SIGNATURE_BYTES = 64

/** The key of a witness. */
export interface Cosigner extends Verifier {
  /** Whether its cosignatures can be verified here, as those of Ed25519 can. */
  isVerifiable: boolean
}

/** A cosignature that was verified. */
export interface Cosignature {
  cosigner: Cosigner
  /** When the witness signed [s since 1970]. */
  time: number
  /** The line of the note, with its line break. */
  line: string
}

/** @throws ArchiveError `invalid_key` */
export function parseCosigner(text: string): Cosigner {
  const key = parseAnyVkey(text)
  const expected = MATERIAL_BYTES[key.type]
  if (expected === undefined)
    throw new ArchiveError(
      'invalid_key',
      'is no key of a witness, whose signature type is 04 or 06',
    )
  if (key.material.length !== expected)
    throw new ArchiveError('invalid_key', `has a key of other than ${expected} bytes`)
  return { ...key, isVerifiable: key.type === ED25519_COSIGNATURE }
}

/**
 * Verifies the lines of a note that are by an Ed25519 key among these.
 * @returns for each key that has signed the cosignature with the latest time, in the order of the keys
 * @throws ArchiveError `wrong_signature`, which spoils the whole note (C2SP signed-note)
 */
export function cosignaturesIn(
  { text, signatures }: Note,
  keys: readonly Cosigner[],
): Cosignature[] {
  const verified = keys.flatMap((key) => {
    const lines = key.isVerifiable ? signatures.filter((one) => isSameSigner(one, key)) : []
    return lines.map((signature) => verifiedCosignature(text, key, signature))
  })
  return latestOfEach(keys, verified)
}

/**
 * Collects the valid cosignatures of notes with one text. Lines that do not verify are left out.
 * @returns for each key that has signed the cosignature with the latest time, in the order of the keys
 */
export function validCosignatures(
  notes: readonly Note[],
  keys: readonly Cosigner[],
): Cosignature[] {
  const valid = notes.flatMap(({ text, signatures }) =>
    signatures.flatMap((signature) => validCosignature(text, keys, signature) ?? []),
  )
  return latestOfEach(keys, valid)
}

function latestOfEach(keys: readonly Cosigner[], found: readonly Cosignature[]): Cosignature[] {
  return keys.flatMap((key) => {
    const ofKey = found.filter(({ cosigner }) => cosigner === key)
    return ofKey.sort((a, b) => b.time - a.time)[0] ?? []
  })
}

/** @returns null if the line is by no key of these that is verified here, or does not verify */
export function validCosignature(
  text: string,
  keys: readonly Cosigner[],
  signature: Signature,
): Cosignature | null {
  const cosigner = keys.find((key) => key.isVerifiable && isSameSigner(signature, key))
  if (!cosigner) return null
  return orNull(() => verifiedCosignature(text, cosigner, signature), 'wrong_signature')
}

/** @throws ArchiveError `wrong_signature` */
function verifiedCosignature(
  text: string,
  cosigner: Cosigner,
  { name, id, bytes }: Signature,
): Cosignature {
  const stated = bytes.length === TIMESTAMP_BYTES + ED25519_SIGNATURE_BYTES && timeIn(bytes)
  const message = `cosignature/v1\ntime ${stated}\n${text}`
  const signature = bytes.subarray(TIMESTAMP_BYTES)
  if (!stated || !verify(null, Buffer.from(message), ed25519Key(cosigner.material), signature))
    throw new ArchiveError('wrong_signature', `the cosignature by ${name}+${id} does not verify`)
  return { cosigner, time: Number(stated), line: signatureLine({ name, id, bytes }) }
}

/** @returns the time [s since 1970]; 0, which no checkpoint may have, if it is beyond the range of a cosignature */
function timeIn(bytes: Uint8Array): bigint {
  const time = Buffer.from(bytes).readBigUInt64BE()
  return time >= 2n ** 63n ? 0n : time
}
