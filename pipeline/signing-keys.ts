// Reads, creates and replaces the private keys that sign the log: the current one in a file, earlier ones next to it.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { sha256Of } from '../archive/format/hash.ts'
import { TEMPORARY } from '../archive/format/paths.ts'
import { MAX_SIGNATURES, verifierOf } from '../archive/log/note.ts'

/** The error codes of file systems without hard links, which depend on the operating system. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** The mode of private keys: accessible by the owner only. */
const OWNER_ONLY = 0o600

/** Reports whether the key file exists. */
export function hasSigningKey(file: string): boolean {
  return existsSync(file)
}

/**
 * Reads the current key, then the earlier ones that `replaceSigningKey` has renamed, newest first. The oldest are left
 * out if there are more than a note may have signatures.
 * @throws Error with one line when the current key is missing, or a file is not an Ed25519 key
 */
export function readSigningKeys(file: string): KeyObject[] {
  if (!existsSync(file))
    throw new Error(
      `SIGNING_KEY_FILE: ${file} is missing, but there is a log that it signs; restore it from a copy`,
    )
  const prefix = `${basename(file)}.`
  const earlier = readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]{8}$/.test(name.slice(prefix.length)))
    .map((name) => join(dirname(file), name))
    .sort()
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  const [current, ...others] = [file, ...earlier].map(readKey)
  // A replacement that was killed half-way leaves the current key under its later name as well.
  const former = others.filter((key) => !key.equals(current as KeyObject))
  return [current as KeyObject, ...former].slice(0, MAX_SIGNATURES)
}

/**
 * Creates the key unless it exists. When several processes do so at the same time, on one host or on a shared disk, all
 * end up with the same key, because a hard link never replaces an existing file.
 * @throws Error with one line
 */
export function makeSigningKey(file: string): void {
  if (!existsSync(file)) linkNewKey(file)
  // Once the key exists, no process needs its temporary file any more.
  removeTemporaries(file)
  syncFolder(dirname(file))
}

function linkNewKey(file: string): void {
  try {
    const temporary = writeNewKey(file)
    try {
      linkSync(temporary, file)
    } finally {
      rmSync(temporary, { force: true })
    }
  } catch (error) {
    // Another process was faster, so its key is used.
    if (existsSync(file)) return
    throw failureOf('created', file, error)
  }
}

function failureOf(operation: 'created' | 'replaced', file: string, error: unknown): Error {
  const { code, message } = error as NodeJS.ErrnoException
  const hint = NO_LINKS.includes(code ?? '') ? '; its disk must support hard links' : ''
  const line = `SIGNING_KEY_FILE: ${file} cannot be ${operation} (${code ?? message})${hint}`
  return new Error(line, { cause: error })
}

/**
 * Replaces the current key by a new one and keeps the old one as `<file>.<key id>`. After a kill at any
 * moment, either the old or the new key is the current one.
 * @param origin the log's origin, which is also the name of its keys
 * @throws Error with one line; the old key is the current one then
 */
export function replaceSigningKey(file: string, origin: string): void {
  const { id } = verifierOf(origin, readKey(file))
  try {
    removeTemporaries(file)
    const temporary = writeNewKey(file)
    try {
      const earlier = `${file}.${id}`
      if (!existsSync(earlier)) linkSync(file, earlier)
      renameSync(temporary, file)
    } finally {
      rmSync(temporary, { force: true })
    }
  } catch (error) {
    throw failureOf('replaced', file, error)
  }
  syncFolder(dirname(file))
}

/** Writes a new key to a temporary file. @returns the path, which is unique because it contains a hash of the key */
function writeNewKey(file: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const hash = sha256Of(publicKey.export({ type: 'spki', format: 'der' }))
  const temporary = `${file}${TEMPORARY}.${hash.slice(0, 16)}`
  const descriptor = openSync(temporary, 'wx', OWNER_ONLY)
  try {
    writeFileSync(descriptor, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return temporary
}

/** Removes the temporary files of killed processes. */
function removeTemporaries(file: string): void {
  const prefix = basename(file) + TEMPORARY
  const names = readdirSync(dirname(file)).filter((name) => name.startsWith(prefix))
  for (const name of names) rmSync(join(dirname(file), name), { force: true })
}

function readKey(file: string): KeyObject {
  const key = parsedKey(readKeyFile(file))
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new Error(`SIGNING_KEY_FILE: ${file} must be an Ed25519 key, as PKCS #8 in PEM`)
  return key
}

function readKeyFile(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`SIGNING_KEY_FILE: ${file} cannot be read (${code ?? message})`, {
      cause: error,
    })
  }
}

/** @returns undefined when the text is not a private key */
function parsedKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** Syncs a folder, so that renames survive a power failure. Windows cannot open a folder. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
