// Tests the signing key when several processes create it at once, as on a shared disk.
// Rules: FORMAT.md 16.5; WRITING.md 1.8-1.9.
import {
  copyFileSync,
  mkdirSync,
  promises,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { makeSigningKey, replaceSigningKey } from '../../../archive/log/new-signing-keys.ts'
import { readSigningKeys } from '../../../archive/log/signing-keys.ts'
import { ORIGIN } from '../../archive/signing.ts'
import { temporaryFolder } from '../../support/release.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'signing.key')
})

const keyIn = (path: string) => readSigningKeys(path)[0]?.export({ type: 'pkcs8', format: 'der' })

/** Creates or replaces the key, and calls `intervene` just before a key's file gets its name. */
async function makeWhile(
  intervene: () => void | Promise<void>,
  make = () => makeSigningKey(file),
): Promise<void> {
  const { link } = promises
  const restore = () => {
    promises.link = link
    syncBuiltinESMExports()
  }
  promises.link = async (from, to) => {
    restore()
    await intervene()
    return link(from, to)
  }
  syncBuiltinESMExports()
  try {
    await make()
  } finally {
    restore()
  }
}

test('only the owner can read the key, and no temporary file is left next to it', async () => {
  const abandoned = `${file}.partial-killed`
  mkdirSync(abandoned)
  writeFileSync(join(abandoned, 'content'), 'of a process that was killed')
  utimesSync(join(abandoned, 'content'), 0, 0)
  await makeSigningKey(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})

test('two processes that create the key at once both use the first one', async () => {
  let first: unknown
  await makeWhile(async () => {
    await makeSigningKey(file)
    first = keyIn(file)
  })
  expect(keyIn(file)).toEqual(first)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})

test('a key that appears meanwhile is kept', async () => {
  const other = join(folder, 'other.key')
  await makeSigningKey(other)
  await makeWhile(() => copyFileSync(other, file))
  expect(keyIn(file)).toEqual(keyIn(other))
})

test('a missing folder is an error of one line that names the key', async () => {
  const nowhere = join(folder, 'nowhere', 'signing.key')
  await expect(makeSigningKey(nowhere)).rejects.toThrow(
    `SIGNING_KEY_FILE: ${nowhere} cannot be created (ENOENT)`,
  )
})

test('a disk without hard links is an error that states the cause, and no new file is left on it', async () => {
  const error = Object.assign(new Error('EPERM: operation not permitted'), { code: 'EPERM' })
  const fail = () => {
    throw error
  }
  await expect(makeWhile(fail)).rejects.toThrow(
    `SIGNING_KEY_FILE: ${file} cannot be created (EPERM); its disk must support hard links`,
  )
  expect(readdirSync(folder)).toEqual([])
  await makeSigningKey(file)
  const before = keyIn(file)
  await expect(makeWhile(fail, () => replaceSigningKey(file, ORIGIN))).rejects.toThrow(
    `SIGNING_KEY_FILE: ${file} cannot be replaced (EPERM); its disk must support hard links`,
  )
  expect(keyIn(file)).toEqual(before)
  expect(readdirSync(folder)).toEqual(['signing.key'])
})
