// Runs verify and the independent verifier over the sample archive of archive/vectors and over its damaged copies.
// Rules: FORMAT.md 13.2, 13.4, 13.6, 23.3.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parseVkey } from '../../../archive/log/note.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { type FindingCode, isNote } from '../../../archive/verify/findings.ts'
import { writeSample } from '../../fixtures/sample/archive.ts'
import { applyChanges, type Change, filesIn } from '../../fixtures/sample/changes.ts'
import { damagedVectors } from '../../fixtures/sample/damaged.ts'
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { IN_FULL } from '../../support/runs.ts'
import { decode } from '../decoding.ts'

interface Case {
  why: string
  changes: Change[]
  codes: FindingCode[]
  days: string[]
  since?: string
  key?: string
}

const python = findProgram('python3')
const script = fileURLToPath(new URL('second-verifier.py', import.meta.url))
const vectors = fileURLToPath(new URL('../../../archive/vectors/', import.meta.url))
const sample = join(vectors, 'sample')
const { cases } = JSON.parse(readFileSync(join(vectors, 'damaged.json'), 'utf8')) as {
  cases: Case[]
}

const root = temporaryFolder()

/** Whether the media have to be read to find the damage. */
function touchesMedia({ changes, codes }: Case): boolean {
  return codes.includes('medium_facts') || /\.(wav|mp4|png)"/.test(JSON.stringify(changes))
}

function damagedCopy({ changes }: Case): string {
  const dir = mkdtempSync(join(root, 'copy-'))
  cpSync(sample, dir, { recursive: true })
  applyChanges(dir, changes)
  return dir
}

describe('the sample archive', () => {
  test.runIf(IN_FULL)(
    'the sample and the list of damages are what their generators produce',
    async () => {
      const dir = mkdtempSync(join(root, 'new-'))
      await writeSample(dir)
      expect(filesIn(dir)).toEqual(filesIn(sample))
      for (const name of filesIn(dir))
        expect([name, readFileSync(join(dir, name))]).toEqual([
          name,
          readFileSync(join(sample, name)),
        ])
      expect(await damagedVectors(sample)).toBe(readFileSync(join(vectors, 'damaged.json'), 'utf8'))
    },
  )

  test('verify finds nothing in the sample archive', async () => {
    const report = await verifyArchive(folderPlace(sample), { decode })
    expect(report).toMatchObject({ ok: true, findings: [] })
    expect(report.days.flatMap(({ findings }) => findings)).toEqual([])
  })

  test('no two damaged copies are of the same kind', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60)
    expect(new Set(cases.map(({ why }) => why)).size).toBe(cases.length)
  })
})

describe('the damaged copies', () => {
  test.each(cases)('verify reports the codes that are stated: $why', async (one) => {
    const { since, key } = one
    const report = await verifyArchive(folderPlace(damagedCopy(one)), {
      decode,
      quick: !IN_FULL && !touchesMedia(one),
      log: {
        pauseMs: 0,
        ...(since !== undefined && { since: Buffer.from(since) }),
        ...(key !== undefined && { keys: [parseVkey(key)] }),
      },
    })
    const found = [...report.findings, ...report.days.flatMap(({ findings }) => findings)]
    expect([...new Set(found.map(({ code }) => code))].sort()).toEqual(one.codes)
    expect(report.days.filter(({ ok }) => !ok).map(({ day }) => day)).toEqual(one.days)
    expect(report.ok).toBe(one.codes.every((code) => isNote({ code, file: '', message: '' })))
  })
})

/** What only a program that decodes media can find, which the second verifier does not. */
const BEYOND: readonly FindingCode[] = [
  'medium_facts',
  'not_a_medium',
  'sound_differs',
  'sound_undecodable',
]

describe.skipIf(python === undefined)('the second verifier', () => {
  test.runIf(IN_FULL)('the second verifier finds the same copies bad, and the same days', () => {
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
