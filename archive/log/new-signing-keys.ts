// Creates and replaces the private key that signs the log.
import { generateKeyPairSync } from 'node:crypto'
import { createKeyFile, hasKeyFile, replaceKeyFile } from '../base/key-file.ts'
import { TEMPORARY } from '../format/paths.ts'
import { verifierOf } from './note.ts'
import { readKey } from './signing-keys.ts'

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
