// Tests the signing key when several processes create it at once, as on a shared disk.
import fs, {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeSigningKey, readSigningKeys, replaceSigningKey } from '../../pipeline/signing-keys.ts'
import { ORIGIN } from '../archive/signing.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daysignal-keys-'))
  file = join(folder, 'signing.key')
})
afterEach(() => rmSync(folder, { recursive: true }))

const keyIn = (path: string) => readSigningKeys(path)[0]?.export({ type: 'pkcs8', format: 'der' })

/** Creates or replaces the key, and calls `intervene` just before a key's file gets its name. */
function makeWhile(intervene: () => void, make = () => makeSigningKey(file)): void {
  const { linkSync } = fs
  const restore = () => {
    fs.linkSync = linkSync
    syncBuiltinESMExports()
  }
  fs.linkSync = (from, to) => {
    restore()
    intervene()
    linkSync(from, to)
  }
  syncBuiltinESMExports()
  try {
    make()
  } finally {
    restore()
  }
}

test('only the owner can read the key, and no temporary file is left next to it', () => {
  writeFileSync(`${file}.writing.killed`, 'of a process that was killed')
  makeSigningKey(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})

test('two processes that create the key at once both use the first one', () => {
  let first: unknown
  makeWhile(() => {
    makeSigningKey(file)
    first = keyIn(file)
  })
  expect(keyIn(file)).toEqual(first)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})

test('a key that appears meanwhile is kept', () => {
  const other = join(folder, 'other.key')
  makeSigningKey(other)
  makeWhile(() => copyFileSync(other, file))
  expect(keyIn(file)).toEqual(keyIn(other))
})

test('a missing folder is an error of one line that names the key', () => {
  const nowhere = join(folder, 'nowhere', 'signing.key')
  expect(() => makeSigningKey(nowhere)).toThrow(
    `SIGNING_KEY_FILE: ${nowhere} cannot be created (ENOENT)`,
  )
})

test('a disk without hard links is an error that states the cause, and no new file is left on it', () => {
  const error = Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  const fail = () => {
    throw error
  }
  expect(() => makeWhile(fail)).toThrow(
    `SIGNING_KEY_FILE: ${file} cannot be created (EPERM); its disk must support hard links`,
  )
  expect(readdirSync(folder)).toEqual([])
  makeSigningKey(file)
  const before = keyIn(file)
  expect(() => makeWhile(fail, () => replaceSigningKey(file, ORIGIN))).toThrow(
    `SIGNING_KEY_FILE: ${file} cannot be replaced (EPERM); its disk must support hard links`,
  )
  expect(keyIn(file)).toEqual(before)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})
