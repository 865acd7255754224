// The private keys that sign the log: the file of the present one, and the earlier ones next to it.
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

/** What a disk without hard links answers, by its system. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']

/** Only the owner reads a private key. */
const PRIVATE = 0o600

/** Whether there is a key at this place. */
export function hasSigningKey(file: string): boolean {
  return existsSync(file)
}

/**
 * The present key, then the earlier ones that `replaceSigningKey` has renamed, the newest first: what is more than a note
 * may have signatures is left out at the end.
 * @throws Error with one line when the present one is missing, or one is no Ed25519 key
 */
export function readSigningKeys(file: string): KeyObject[] {
  if (!existsSync(file))
    throw new Error(
      `SIGNING_KEY_FILE: ${file} is missing, and there is a log that it signs; restore it from a copy`,
    )
  const prefix = `${basename(file)}.`
  const earlier = readdirSync(dirname(file))
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]{8}$/.test(name.slice(prefix.length)))
    .map((name) => join(dirname(file), name))
    .sort()
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  const [present, ...others] = [file, ...earlier].map(readKey)
  // A replacement that was killed half-way has kept the present key under its later name already.
  const former = others.filter((key) => !key.equals(present as KeyObject))
  return [present as KeyObject, ...former].slice(0, MAX_SIGNATURES)
}

/**
 * Makes a key, unless there is one: readable by its owner only. Of several processes that make it at once, on one host or on
 * a shared disk, one makes the key of all: a name that is there is never given to another file.
 * @throws Error with one line
 */
export function makeSigningKey(file: string): void {
  if (!existsSync(file)) linkNewKey(file)
  // With the key in place, whatever others have begun is of no use to them.
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
    // Another process was faster: its key is the one.
    if (existsSync(file)) return
    const { code, message } = error as NodeJS.ErrnoException
    const hint = NO_LINKS.includes(code ?? '') ? '; its disk must have hard links' : ''
    throw new Error(`SIGNING_KEY_FILE: ${file} cannot be made (${code ?? message})${hint}`, {
      cause: error,
    })
  }
}

/**
 * Puts a new key in the place of the present one, which is kept as `<file>.<key id>`. Killed at any
 * moment, one of them is the present key.
 * @param origin the log's, which is the name of its keys
 */
export function replaceSigningKey(file: string, origin: string): void {
  const { id } = verifierOf(origin, readKey(file))
  const kept = `${file}.${id}`
  removeTemporaries(file)
  const temporary = writeNewKey(file)
  if (!existsSync(kept)) linkSync(file, kept)
  renameSync(temporary, file)
  syncFolder(dirname(file))
}

/** @returns the name of a file that no other process writes: it is the key's own */
function writeNewKey(file: string): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const hash = sha256Of(publicKey.export({ type: 'spki', format: 'der' }))
  const temporary = `${file}${TEMPORARY}.${hash.slice(0, 16)}`
  const descriptor = openSync(temporary, 'wx', PRIVATE)
  try {
    writeFileSync(descriptor, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return temporary
}

/** Removes what a killed process has left. */
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

/** @returns undefined for what is no private key */
function parsedKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** Makes a rename outlast a power cut, where folders can be opened. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
