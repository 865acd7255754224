// Tests the signing key when several processes create it at once, as on a shared disk, and when its replacement is killed.
// Rules: FORMAT.md 16.5; WRITING.md 1.8-1.9.
import { mkdirSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { openNote, signNote, verifierOf } from '../../../archive/log/note.ts'
import {
  makeSigningKey,
  readSigningKeys,
  replaceSigningKey,
} from '../../../archive/log/signing-keys.ts'
import { ORIGIN } from '../../archive/signing.ts'
import { runNode } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { withReplaced } from '../../support/replaced-fs.ts'
import { inFull } from '../../support/runs.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'signing.key')
})

const keyIn = (path: string) => readSigningKeys(path)[0]?.export({ type: 'pkcs8', format: 'der' })

/** Creates or replaces the key, and calls `intervene` just before a key's file gets its name. */
function makeWhile(
  intervene: () => void | Promise<void>,
  make = () => makeSigningKey(file),
): Promise<void> {
  let isFirst = true
  const intervened = async () => {
    if (isFirst) {
      isFirst = false
      await intervene()
    }
  }
  return withReplaced(
    'link',
    (link) =>
      (...names) =>
        intervened().then(() => link(...names)),
    make,
  )
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

const idsIn = (path: string) =>
  readSigningKeys(path).map((privateKey) => verifierOf(ORIGIN, privateKey).id)

const count = join(temporaryFolder(), 'count')

/** Replaces the key in a process that is killed at a file operation. @returns whether it was killed */
async function replaceAndKill(at: number): Promise<boolean> {
  const program = `
    import { replaceSigningKey } from ${JSON.stringify(new URL('../../../archive/log/signing-keys.ts', import.meta.url))}
    await replaceSigningKey(${JSON.stringify(file)}, ${JSON.stringify(ORIGIN)})`
  const FAULT = JSON.stringify({ now: Date.now(), at, kind: 'SIGKILL', count })
  const preload = new URL('../../faults/faulty-fs.ts', import.meta.url).href
  const args = ['--import', preload, '--input-type=module', '-e', program]
  const { status, stderr } = await runNode(args, { env: { FAULT } })
  expect([0, 137], stderr).toContain(status)
  return status === 137
}

inFull('a replacement of the key that is killed at any file operation loses no key', async () => {
  for (let at = 0, isKilled = true; isKilled; at += 1) {
    rmSync(folder, { recursive: true })
    mkdirSync(folder)
    await makeSigningKey(file)
    const [first = ''] = idsIn(file)
    isKilled = await replaceAndKill(at)
    const left = idsIn(file)
    expect(left, `${at}`).toContain(first)
    expect(new Set(left).size).toBe(left.length)
    const text = 'a text\n'
    const signers = readSigningKeys(file).map((privateKey) => ({ name: ORIGIN, privateKey }))
    const note = Buffer.from(signNote(text, signers))
    for (const { name, privateKey } of signers)
      expect(openNote(note, [verifierOf(name, privateKey)]).text).toBe(text)
    await replaceSigningKey(file, ORIGIN)
    const after = idsIn(file)
    expect(left).not.toContain(after[0])
    expect(after.slice(1).sort()).toEqual([...left].sort())
    const names = readdirSync(folder).filter((name) => name !== 'signing.key')
    expect(names.sort()).toEqual(left.map((id) => `signing.key.${id}`).sort())
    if (!isKilled) expect(at).toBeGreaterThan(8)
  }
})
