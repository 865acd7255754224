// Kills a replacement of the signing key at every file operation: no key is lost, and the next replacement succeeds.
// Rules: WRITING.md 1.8-1.9.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeSigningKey, replaceSigningKey } from '../../../archive/log/new-signing-keys.ts'
import { openNote, signNote, verifierOf } from '../../../archive/log/note.ts'
import { readSigningKeys } from '../../../archive/log/signing-keys.ts'
import { ORIGIN } from '../../archive/signing.ts'
import { childEnvironment } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'

const idsIn = (file: string) =>
  readSigningKeys(file).map((privateKey) => verifierOf(ORIGIN, privateKey).id)

/** @returns whether it was killed */
function replaceAndKill(file: string, at: number, moment: string): boolean {
  const script = join(import.meta.dirname, 'rekeying.ts')
  const args = [script, file, ORIGIN, String(at), moment]
  const { status, signal } = spawnSync(process.execPath, args, { env: childEnvironment() })
  if (signal === null) expect(status).toBe(0)
  return signal === 'SIGKILL'
}

test('a replacement of the signing key that is killed at any file operation loses no key', async () => {
  const root = temporaryFolder()
  let kills = 0
  for (const moment of ['before', 'after'])
    for (let at = 0; ; at += 1) {
      const folder = join(root, `${moment}-${at}`)
      const file = join(folder, 'signing.key')
      mkdirSync(folder)
      await makeSigningKey(file)
      const [first = ''] = idsIn(file)
      const isKilled = replaceAndKill(file, at, moment)
      const left = idsIn(file)
      expect(left, `${moment} ${at}`).toContain(first)
      expect(new Set(left).size).toBe(left.length)
      const text = 'a text\n'
      const signers = readSigningKeys(file).map((privateKey) => ({ name: ORIGIN, privateKey }))
      const known = signers.map(({ name, privateKey }) => verifierOf(name, privateKey))
      const note = Buffer.from(signNote(text, signers))
      for (const key of known) expect(openNote(note, [key]).text).toBe(text)
      await replaceSigningKey(file, ORIGIN)
      const after = idsIn(file)
      expect(left).not.toContain(after[0])
      expect(after.slice(1).sort()).toEqual([...left].sort())
      const names = readdirSync(folder).filter((name) => name !== 'signing.key')
      expect(names.sort()).toEqual(left.map((id) => `signing.key.${id}`).sort())
      if (!isKilled) break
      kills += 1
    }
  expect(kills).toBeGreaterThanOrEqual(20)
})
