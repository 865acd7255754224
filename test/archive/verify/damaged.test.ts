// Runs verify and the independent verifier over the sample archive of archive/vectors and over its damaged copies: in a
// folder, in a bucket, at a file server and at a service. damaged.json states the codes, and damaged-findings.json what verify
// says at each place, which generate-findings.ts writes.
// Rules: FORMAT.md 2.4, 3.3, 7.2, 8.2, 11.2, 12.1, 12.3, 12.5, 15.4, 21.3.
import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { folderPlace } from '../../../archive/place/folder.ts'
import { type FindingCode, isNote } from '../../../archive/verify/findings.ts'
import { writeSample } from '../../fixtures/sample/archive.ts'
import { filesIn } from '../../fixtures/sample/changes.ts'
import { damagedVectors } from '../../fixtures/sample/damaged.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { IN_FULL, inFull } from '../../support/runs.ts'
import { findingsIn } from '../findings.ts'
import { vkeyOf } from '../signing.ts'
import {
  type Case,
  cases,
  DAMAGED,
  damagedCopy,
  linesAt,
  linesOf,
  PLACES,
  SAID,
  SAMPLE,
  type Said,
  verifyCopy,
} from './damaged-copies.ts'

const python = findProgram('python3')
const script = fileURLToPath(new URL('second-verifier.py', import.meta.url))
const said = JSON.parse(readFileSync(SAID, 'utf8')) as Record<string, Said>

/** A copy that is not damaged. */
const UNCHANGED: Case = { why: '', changes: [], codes: [], days: [] }

/** Whether the media have to be read to find the damage. */
function touchesMedia({ changes, codes }: Case): boolean {
  const isOfMedium = codes.includes('medium_facts') || codes.includes('medium_size')
  return isOfMedium || /\.(wav|mp4|png)"/.test(JSON.stringify(changes))
}

describe('the sample archive', () => {
  inFull('the sample and the list of damages are what their generators produce', async () => {
    const dir = temporaryFolder()
    await writeSample(dir)
    expect(filesIn(dir)).toEqual(filesIn(SAMPLE))
    for (const name of filesIn(dir))
      expect([name, readFileSync(join(dir, name))]).toEqual([
        name,
        readFileSync(join(SAMPLE, name)),
      ])
    expect(await damagedVectors(SAMPLE)).toBe(readFileSync(DAMAGED, 'utf8'))
  })

  test('verify finds nothing in the sample archive', async () => {
    for (const kind of Object.keys(PLACES))
      expect(await linesAt(kind, SAMPLE, UNCHANGED)).toEqual([])
  })

  test('no two damaged copies are of the same kind', () => {
    expect(cases.length).toBeGreaterThanOrEqual(140)
    expect(Object.keys(said)).toEqual(cases.map(({ why }) => why))
    expect(new Set(cases.map(({ why }) => why)).size).toBe(cases.length)
  })
})

describe('the damaged copies', () => {
  test.each(cases)('verify reports what is stated: $why', async (one) => {
    const report = await verifyCopy(
      folderPlace(damagedCopy(one)),
      one,
      !IN_FULL && !touchesMedia(one),
    )
    const found = findingsIn(report)
    expect([...new Set(found.map(({ code }) => code))].sort()).toEqual(one.codes)
    expect(report.days.filter(({ ok }) => !ok).map(({ day }) => day)).toEqual(one.days)
    expect(report.ok).toBe(one.codes.every((code) => isNote({ code, file: '', message: '' })))
    expect(linesOf(report)).toEqual(said[one.why]?.['a folder'])
    for (const { message } of found) expect(message).not.toMatch(/[\n\r]/)
  })

  // In npm test, each fourth copy is at one of them.
  const elsewhere = Object.keys(PLACES).slice(1)
  test.each(elsewhere.map((kind, i) => ({ kind, i })))(
    'verify reports what is stated in copies at $kind',
    async ({ kind, i }) => {
      for (const one of cases.filter((_, at) => IN_FULL || at % (4 * elsewhere.length) === i)) {
        const { [kind]: here, 'a folder': inFolder } = said[one.why] as Said
        const lines = await linesAt(kind, damagedCopy(one), one, !touchesMedia(one))
        expect(lines, one.why).toEqual(here ?? inFolder)
      }
    },
    600_000,
  )

  const resealed = ({ codes }: Case) =>
    codes.includes('manifest_not_logged') && !codes.includes('log_rewritten')
  test.each(cases.filter(resealed))(
    'the key and the earlier checkpoint do not hide a second leaf: $why',
    async (one) => {
      const since = readFileSync(join(SAMPLE, 'checkpoint'), 'utf8')
      const place = folderPlace(damagedCopy(one))
      const report = await verifyCopy(place, { ...one, key: vkeyOf(1), since }, true)
      expect(linesOf(report)).toEqual(linesOf(await verifyCopy(place, one, true)))
    },
  )
})

/** What only a program that decodes media can find, which the second verifier does not. */
const BEYOND: readonly FindingCode[] = [
  'medium_facts',
  'not_a_medium',
  'sound_differs',
  'sound_undecodable',
]

describe.skipIf(python === undefined)('the second verifier', () => {
  inFull('both find any changed byte in any signed or derived file', async () => {
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
      const { ok } = await verifyCopy(folderPlace(dir), UNCHANGED)
      const answer = execFileSync(python!, [script, dir], { encoding: 'utf8' })
      const { days, archive } = JSON.parse(answer) as { days: object; archive: unknown }
      overwriteFile(join(dir, name), original)
      expect([name, archive === null && Object.keys(days).length === 0]).toEqual([name, ok])
    })
    await fc.assert(check, { numRuns: 30 })
  })

  inFull('the second verifier finds the same copies bad, and the same days', () => {
    const plain = cases.filter(
      ({ since, key, codes }) => !since && !key && !codes.some((code) => BEYOND.includes(code)),
    )
    const folders = plain.map(damagedCopy)
    const lines = execFileSync(python!, [script, ...folders], { encoding: 'utf8' }).split('\n')
    const verdicts = plain.map(({ why }, index) => {
      const { days, archive } = JSON.parse(lines[index] ?? '') as { days: object; archive: unknown }
      const bad = Object.keys(days)
      return { why, days: bad, isBad: archive !== null || bad.length > 0 }
    })
    const isNoted = (code: FindingCode) => isNote({ code, file: '', message: '' })
    // Of a log that is not the one that was signed, it does not look at the days.
    const daysIn = ({ days, codes }: Case) => (codes.includes('log_rewritten') ? [] : days)
    expect(verdicts).toEqual(
      plain.map((one) => ({
        why: one.why,
        days: daysIn(one),
        isBad: !one.codes.every(isNoted),
      })),
    )
  })
})
