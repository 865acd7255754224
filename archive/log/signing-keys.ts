// Reads the private keys that sign the log: the current one in a file, earlier ones next to it.
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { earlierKeyFiles, hasKeyFile, readKeyFile } from '../base/key-file.ts'
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
