// Signs, parses and verifies signed notes with Ed25519 keys (C2SP signed-note).
import { createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { ArchiveError, naming } from '../base/errors.ts'
import { sha256Of } from '../format/hash.ts'
import { equal } from './tree.ts'

/** The signature type Ed25519, a byte in the key's id and in the vkey. */
export const ED25519 = 0x01
/** The types whose ids follow other rules: ECDSA, RFC 6962, and those without a byte of their own. */
const OTHER_IDS: readonly number[] = [0x02, 0x05, 0xff]
const PUBLIC_KEY_BYTES = 32
const KEY_ID_BYTES = 4
/** The number that every verifier must accept; more are rejected, to bound the work per note. */
export const MAX_SIGNATURES = 16

/** A public key of any signature type. Those with Ed25519 keys verify notes. */
export interface Verifier {
  name: string
  /** By most types the first 4 bytes of a hash over name and key; 8 hex digits. */
  id: string
  /** The byte that states the signature type. */
  type: number
  /** The public key, in the encoding of its type; 32 bytes for Ed25519. */
  material: Uint8Array
}

export interface Signer {
  name: string
  privateKey: KeyObject
}

export interface Signature {
  name: string
  /** The key's id, 8 hex digits. */
  id: string
  bytes: Uint8Array
}

export interface Note {
  /** The signed text; ends with a line break. */
  text: string
  signatures: Signature[]
}

/** Whether a text may name a key, and thus a log: not empty, no white space, control characters or `+`. */
export function isKeyName(name: string): boolean {
  return /^[^\p{White_Space}\p{Cc}+]+$/u.test(name) && name.isWellFormed()
}

/** Returns the public half of a key, under a name. */
export function verifierOf(name: string, key: KeyObject): Verifier {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' })
  const material = Buffer.from(x, 'base64url')
  const id = keyId(name, Buffer.concat([Uint8Array.of(ED25519), material]))
  return { name, id, type: ED25519, material }
}

/** `<name>+<id>+<base64 of type and key>`. */
export function formatVkey({ name, id, type, material }: Verifier): string {
  return `${name}+${id}+${toBase64(Buffer.concat([Uint8Array.of(type), material]))}`
}

/**
 * Parses a verifier key of any signature type.
 * @throws ArchiveError `invalid_key`
 */
export function parseAnyVkey(text: string): Verifier {
  const [, name = '', id = '', encoded = ''] = /^([^+]+)\+([0-9a-f]{8})\+([^\s]+)$/.exec(text) ?? []
  const key = fromBase64(encoded)
  const [type] = key ?? []
  if (!isKeyName(name) || !key || type === undefined)
    throw new ArchiveError('invalid_key', 'is no key as <name>+<id>+<base64>')
  const found = keyId(name, key)
  if (id !== found && !OTHER_IDS.includes(type))
    throw new ArchiveError('invalid_key', `has the id ${id}, but its key has ${found}`)
  if (type === ED25519 && key.length !== 1 + PUBLIC_KEY_BYTES)
    throw new ArchiveError('invalid_key', `has other than ${PUBLIC_KEY_BYTES} bytes`)
  return { name, id, type, material: key.subarray(1) }
}

/** @throws ArchiveError `invalid_key` */
export function parseVkey(text: string): Verifier {
  const key = parseAnyVkey(text)
  if (key.type !== ED25519)
    throw new ArchiveError('invalid_key', 'is no Ed25519 key as <name>+<id>+<base64>')
  return key
}

/**
 * Parses the file `key`, one verifier key per line.
 * @throws ArchiveError `invalid_key` naming the line
 */
export function parseKeys(bytes: Uint8Array): Verifier[] {
  const lines = Buffer.from(bytes).toString().split('\n')
  if (lines.pop() !== '' || lines.length === 0)
    throw new ArchiveError('invalid_key', 'is not one key per line')
  return lines.map((line, index) => naming(`line ${index + 1}`, () => parseVkey(line)))
}

/**
 * Signs a text with each key, in order.
 * @param text ends with a line break, and has no other control characters
 */
export function signNote(text: string, signers: readonly Signer[]): string {
  const lines = signers.map(({ name, privateKey }) => {
    const { id } = verifierOf(name, privateKey)
    const bytes = sign(null, Buffer.from(text), privateKey)
    return signatureLine({ name, id, bytes })
  })
  return `${text}\n${lines.join('')}`
}

/** The line of a signature in a note, with its line break. */
export function signatureLine({ name, id, bytes }: Signature): string {
  return `— ${name} ${toBase64(Buffer.concat([Buffer.from(id, 'hex'), bytes]))}\n`
}

/** Whether a signature states that it is by a key. */
export function isSameSigner(signature: Signature, { name, id }: Pick<Verifier, 'name' | 'id'>) {
  return signature.name === name && signature.id === id
}

/**
 * Parses a note without verifying it.
 * @throws ArchiveError `invalid_note`
 */
export function parseNote(bytes: Uint8Array): Note {
  const whole = decode(bytes)
  const end = whole.lastIndexOf('\n\n')
  if (end < 0) throw invalidNote('has no empty line before its signatures')
  const [text, block] = [whole.slice(0, end + 1), whole.slice(end + 2)]
  if (!block.endsWith('\n')) throw invalidNote('does not end with a signature line')
  const lines = block.slice(0, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) throw invalidNote(`has more than ${MAX_SIGNATURES} signatures`)
  return { text, signatures: lines.map(parseSignature) }
}

/**
 * Opens a note that a known key has signed. Signatures by unknown keys are ignored.
 * @returns the text and the keys whose signatures verify
 * @throws ArchiveError `invalid_note`, `unknown_signer`, `wrong_signature`
 */
export function openNote(
  bytes: Uint8Array,
  known: readonly Verifier[],
): { text: string; verified: Verifier[] } {
  const { text, signatures } = parseNote(bytes)
  const verified: Verifier[] = []
  for (const signature of signatures) {
    const key = known.find((verifier) => isSameSigner(signature, verifier))
    if (!key) continue
    if (!verify(null, Buffer.from(text), ed25519Key(key.material), signature.bytes))
      throw new ArchiveError(
        'wrong_signature',
        `the signature by ${key.name}+${key.id} does not verify`,
      )
    verified.push(key)
  }
  if (verified.length === 0)
    throw new ArchiveError('unknown_signer', 'is not signed by a known key')
  return { text, verified }
}

/** Whether two keys have the same name and bytes. */
export function isSameKey(a: Verifier, b: Verifier): boolean {
  return a.name === b.name && equal(a.material, b.material)
}

/** The id that C2SP signed-note recommends. @param key type and public key */
function keyId(name: string, key: Uint8Array): string {
  const hashed = Buffer.concat([Buffer.from(`${name}\n`), key])
  return sha256Of(hashed).slice(0, 2 * KEY_ID_BYTES)
}

/** @param publicKey 32 bytes */
export function ed25519Key(publicKey: Uint8Array): KeyObject {
  const x = Buffer.from(publicKey).toString('base64url')
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

function decode(bytes: Uint8Array): string {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalidNote('is not UTF-8')
  }
  // Below U+0020 except line feed. In UTF-8 no other character contains such a byte.
  if (bytes.some((byte) => byte < 0x20 && byte !== 0x0a))
    throw invalidNote('has a control character')
  return text
}

function parseSignature(line: string): Signature {
  const [, name = '', encoded = ''] = /^— ([^ ]+) ([^ ]+)$/.exec(line) ?? []
  const bytes = fromBase64(encoded)
  if (!isKeyName(name) || !bytes || bytes.length <= KEY_ID_BYTES)
    throw invalidNote('has an invalid signature line')
  return {
    name,
    id: Buffer.from(bytes.subarray(0, KEY_ID_BYTES)).toString('hex'),
    bytes: bytes.subarray(KEY_ID_BYTES),
  }
}

export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

/** Decodes standard base64; null unless it is padded and canonical. */
export function fromBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : null
}

function invalidNote(message: string): ArchiveError {
  return new ArchiveError('invalid_note', message)
}
