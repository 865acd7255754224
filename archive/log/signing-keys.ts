// The private keys that sign the log: the current one in a file, earlier ones next to it. Reads, creates and replaces them.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  createKeyFile,
  earlierKeyFiles,
  hasKeyFile,
  readKeyFile,
  replaceKeyFile,
} from '../base/key-file.ts'
import { TEMPORARY } from '../format/paths.ts'
import { MAX_SIGNATURES, type Verifier, verifierOf } from './note.ts'

/**
 * Reads the current key, then the earlier ones that a replacement has renamed, newest first. The oldest are left
 * out if there are more than a note may have signatures.
 * @throws Error with one line when the current key is missing, or a file is not an Ed25519 key
 */
export function readSigningKeys(file: string): KeyObject[] {
  if (!hasKeyFile(file))
    throw new Error(
      `SIGNING_KEY_FILE: ${file} is missing, but there is a log that it signs; restore it from a copy`,
    )
  const [current, ...others] = [file, ...earlierKeyFiles(file)].map(readKey)
  // A replacement that was killed half-way leaves the current key under its later name as well.
  const former = others.filter((key) => !key.equals(current as KeyObject))
  return [current as KeyObject, ...former].slice(0, MAX_SIGNATURES)
}

/** Returns the public keys of `readSigningKeys` for the log of this origin. @throws Error as it does */
export const readVerifiers = (file: string, origin: string): Verifier[] =>
  readSigningKeys(file).map((key) => verifierOf(origin, key))

/** As `readVerifiers`, but none if they cannot be read: whoever signs with them reports that. */
export function verifiersAtHand(file: string, origin: string): Verifier[] {
  try {
    return readVerifiers(file, origin)
  } catch {
    return []
  }
}

/** Reads one key. @throws Error with one line */
export function readKey(file: string): KeyObject {
  const key = parsedKey(contentOf(file))
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new Error(`SIGNING_KEY_FILE: ${file} must be an Ed25519 key, as PKCS #8 in PEM`)
  return key
}

function contentOf(file: string): Uint8Array {
  try {
    return readKeyFile(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`SIGNING_KEY_FILE: ${file} cannot be read (${code ?? message})`, {
      cause: error,
    })
  }
}

/** @returns undefined when the text is not a private key */
function parsedKey(pem: Uint8Array): KeyObject | undefined {
  try {
    return createPrivateKey(Buffer.from(pem))
  } catch {
    return undefined
  }
}

/** The error codes of file systems without hard links, which depend on the operating system. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/**
 * Creates the key unless it exists. When several processes do so at the same time, on one host or on a shared disk, all
 * end up with the same key, because the first one is never replaced.
 * @throws Error with one line
 */
export async function makeSigningKey(file: string): Promise<void> {
  if (hasKeyFile(file)) return
  try {
    await createKeyFile(file, newKey())
  } catch (error) {
    // Another process was faster, so its key is used.
    if (!hasKeyFile(file)) throw failureOf('created', file, error)
  }
}

/**
 * Replaces the current key by a new one and keeps the old one as `<file>.<key id>`. After a kill at any
 * moment, either the old or the new key is the current one.
 * @param origin the log's origin, which is also the name of its keys
 * @throws Error with one line; the old key is the current one then
 */
export async function replaceSigningKey(file: string, origin: string): Promise<void> {
  const { id } = verifierOf(origin, readKey(file))
  try {
    await replaceKeyFile(file, id, newKey(), TEMPORARY)
  } catch (error) {
    throw failureOf('replaced', file, error)
  }
}

function failureOf(operation: 'created' | 'replaced', file: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const hint = NO_LINKS.includes(code ?? '') ? '; its disk must support hard links' : ''
  const line = `SIGNING_KEY_FILE: ${file} cannot be ${operation} (${code ?? message})${hint}`
  return new Error(line, { cause: error })
}

/** Makes an Ed25519 key, as PKCS #8 in PEM. */
function newKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
