// The signing key when several processes make it at once, as on a shared disk.
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
import { makeSigningKey, readSigningKeys } from '../../pipeline/signing-keys.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'daysignal-keys-'))
  file = join(folder, 'signing.key')
})
afterEach(() => rmSync(folder, { recursive: true }))

const keyIn = (path: string) => readSigningKeys(path)[0]?.export({ type: 'pkcs8', format: 'der' })

/** Makes the key while something else happens just before it gets its name. */
function makeWhile(happens: () => void): void {
  const { linkSync } = fs
  const restore = () => {
    fs.linkSync = linkSync
    syncBuiltinESMExports()
  }
  fs.linkSync = (from, to) => {
    restore()
    happens()
    linkSync(from, to)
  }
  syncBuiltinESMExports()
  try {
    makeSigningKey(file)
  } finally {
    restore()
  }
}

test('the key is its owner’s alone, and nothing is left next to it', () => {
  writeFileSync(`${file}.writing.killed`, 'of a process that was killed')
  makeSigningKey(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})

test('of two processes that make the key at once, both use the one that was there first', () => {
  let first: unknown
  makeWhile(() => {
    makeSigningKey(file)
    first = keyIn(file)
  })
  expect(keyIn(file)).toEqual(first)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})

test('a key that appears meanwhile is kept, though its maker has not come further', () => {
  const other = join(folder, 'other.key')
  makeSigningKey(other)
  makeWhile(() => copyFileSync(other, file))
  expect(keyIn(file)).toEqual(keyIn(other))
})

test('a folder that is not there is named by one line', () => {
  const nowhere = join(folder, 'nowhere', 'signing.key')
  expect(() => makeSigningKey(nowhere)).toThrow(
    `SIGNING_KEY_FILE: ${nowhere} cannot be created (ENOENT)`,
  )
})

test('a disk without hard links is named, and nothing is left on it', () => {
  const refused = Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  const make = () =>
    makeWhile(() => {
      throw refused
    })
  expect(make).toThrow(
    `SIGNING_KEY_FILE: ${file} cannot be created (EPERM); its disk must support hard links`,
  )
  expect(readdirSync(folder)).toEqual([])
})
