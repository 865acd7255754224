// Compares verify with an independent verifier, written in Python from FORMAT.md alone, on copies of the sample archive with
// one changed byte anywhere. damaged.test.ts compares them on the damaged copies of damaged.json.
// Rules: FORMAT.md 13.2.
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { filesIn } from '../../fixtures/sample/changes.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { decode } from '../decoding.ts'
import { SAMPLE } from './damaged-copies.ts'

const python = findProgram('python3')
const script = fileURLToPath(new URL('second-verifier.py', import.meta.url))

/** Whether each verifier finds anything. */
async function areBad(dir: string) {
  const report = await verifyArchive(folderPlace(dir), { decode, log: { pauseMs: 0 } })
  const { days, archive } = JSON.parse(execFileSync(python!, [script, dir], { encoding: 'utf8' }))
  return { ours: !report.ok, theirs: archive !== null || Object.keys(days).length > 0 }
}

describe.skipIf(python === undefined)('the second verifier', () => {
  test('both verifiers find nothing in an intact archive', async () => {
    expect(await areBad(SAMPLE)).toEqual({ ours: false, theirs: false })
  })

  test('both verifiers find any changed byte in any signed or derived file', async () => {
    const dir = temporaryFolder()
    cpSync(SAMPLE, dir, { recursive: true })
    const anywhere = fc.tuple(
      fc.constantFrom(...filesIn(SAMPLE)),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
    )
    const check = fc.asyncProperty(anywhere, async ([name, part, change]) => {
      const original = readFileSync(join(SAMPLE, name))
      const changed = Uint8Array.from(original)
      changed[Math.floor(part * original.length)]! ^= change
      overwriteFile(join(dir, name), changed)
      const { ours, theirs } = await areBad(dir)
      overwriteFile(join(dir, name), original)
      expect([name, theirs]).toEqual([name, ours])
    })
    await fc.assert(check, { numRuns: 30 })
  })
})
