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
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { TEMPORARY } from '../archive/format/paths.ts'
import { MAX_SIGNATURES, verifierOf } from '../archive/log/note.ts'

/** Only the owner reads a private key. */
const PRIVATE = 0o600

/** Whether there is a key at this place. */
export function hasSigningKey(file: string): boolean {
  return existsSync(file)
}

/**
 * The present key, then the earlier ones that `replaceSigningKey` has renamed.
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
    .sort()
  const [present, ...others] = [file, ...earlier.map((name) => join(dirname(file), name))].map(
    readKey,
  )
  // A replacement that was killed half-way has kept the present key under its later name already.
  const former = others.filter((key) => !key.equals(present as KeyObject))
  return [present as KeyObject, ...former].slice(0, MAX_SIGNATURES)
}

/** Makes a key, unless there is one: readable by its owner only. */
export function makeSigningKey(file: string): void {
  if (existsSync(file)) return
  renameSync(writeNewKey(file), file)
  syncFolder(dirname(file))
}

/**
 * Puts a new key in the place of the present one, which is kept as `<file>.<key id>`. Killed at any
 * moment, one of them is the present key.
 * @param origin the log's, which is the name of its keys
 */
export function replaceSigningKey(file: string, origin: string): void {
  const { id } = verifierOf(origin, readKey(file))
  const kept = `${file}.${id}`
  const temporary = writeNewKey(file)
  if (!existsSync(kept)) linkSync(file, kept)
  renameSync(temporary, file)
  syncFolder(dirname(file))
}

function writeNewKey(file: string): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  const temporary = file + TEMPORARY
  rmSync(temporary, { force: true })
  const descriptor = openSync(temporary, 'wx', PRIVATE)
  try {
    writeSync(descriptor, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  return temporary
}

function readKey(file: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(readFileSync(file))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new Error(`SIGNING_KEY_FILE: ${file} cannot be read (${code ?? message})`, {
      cause: error,
    })
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Error(`SIGNING_KEY_FILE: ${file} must be an Ed25519 key, as PKCS #8 in PEM`)
  return key
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
