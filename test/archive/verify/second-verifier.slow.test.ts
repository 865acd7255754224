// Compares verify with an independent verifier, written in Python from FORMAT.md alone, on intact and damaged archives.
// Rules: FORMAT.md 13.2.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import type { Snapshot } from '../../../archive/format/snapshot.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { folderReader } from '../../../archive/reading/reader.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { findProgram } from '../../support/programs.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWriter } from '../../support/writers.ts'
import { makeDay, picture, publish } from '../days.ts'
import { decode } from '../decoding.ts'
import { forge } from '../forger.ts'
import { memoryKeeper, openTestLog } from '../signing.ts'

const python = findProgram('python3')
const script = fileURLToPath(new URL('second-verifier.py', import.meta.url))

const first = makeDay('2026-11-17', null)
const second = makeDay('2026-11-18', first)
const DAY = '2026-11-18'

let dir: string

const root = temporaryFolder()
const whole = join(root, 'whole')
const writer = await openWriter(whole, { create: true })
const keeper = memoryKeeper()
for (const day of [first, second]) {
  await publish(writer, day)
  const log = await openTestLog(whole, { keeper })
  await log.append([day.snapshot.day])
}
await writeSums(folderPlace(whole), folderReader(whole), true)

beforeEach(() => {
  dir = mkdtempSync(join(root, 'copy-'))
  cpSync(whole, dir, { recursive: true })
})

/** The bad days according to each verifier, and whether it finds anything at all. */
async function bothVerdicts() {
  const report = await verifyArchive(folderPlace(dir), { decode, log: { pauseMs: 0 } })
  const ours = report.days.filter(({ ok }) => !ok).map(({ day }) => day)
  const answer = execFileSync(python!, [script, dir], { encoding: 'utf8' })
  const { days, archive } = JSON.parse(answer)
  const bad = Object.keys(days)
  return {
    ours: { days: ours, isBad: !report.ok },
    theirs: { days: bad, isBad: archive !== null || bad.length > 0 },
  }
}

/** Replaces the last matching character by the next one of base64, which decodes to the same bytes. */
function replaceLast(name: string, pattern: RegExp): void {
  const next = (letter: string) => String.fromCharCode(letter.charCodeAt(0) + 1)
  overwriteFile(join(dir, name), readFileSync(join(dir, name), 'utf8').replace(pattern, next))
}

const replace = (name: string, before: string, after: string) =>
  overwriteFile(join(dir, name), readFileSync(join(dir, name), 'utf8').replace(before, after))

const png = () => picture(64, 36, 9)
const withoutFilm = ({ media }: Manifest) =>
  Object.assign(media, { mp4: { available: false, reason: 'ffmpeg_not_found' } })
const early = (snapshot: Snapshot) => Object.assign(snapshot, { generated_at: snapshot.from })
const partial = ({ coverage }: Snapshot) => Object.assign(coverage, { status: 'partial' })

describe.skipIf(python === undefined)('the second verifier', () => {
  test('both verifiers find nothing in an intact archive', async () => {
    const nothing = { days: [], isBad: false }
    expect(await bothVerdicts()).toEqual({ ours: nothing, theirs: nothing })
  })

  const manifest = `${DAY}/${manifestName(DAY)}`
  test.each<[string, () => unknown]>([
    ['a version in a manifest', () => replace(manifest, '"24.21.0"', '"24.21.1"')],
    ['white space in a manifest', () => replace(manifest, '": ', '":  ')],
    ['a repeated property', () => replace(manifest, '"day"', '"day": "2026-11-18",\n  "day"')],
    ['a conclusion', () => replace(`${DAY}/${snapshotName(DAY)}`, '"active"', '"quiet"')],
    ['a missing manifest', () => rmSync(join(dir, manifest))],
    ['a missing day', () => rmSync(join(dir, DAY), { recursive: true })],
    ['unused bits of a signature', () => replaceLast('checkpoint', /.(?==\n$)/)],
    ['a stray file in a day', () => writeFileSync(join(dir, DAY, 'notes.txt'), '')],
    ['a leaf for another picture', () => forge(dir, DAY, { media: { png } }, 'appended')],
    ['a leaf for a withdrawn film', () => forge(dir, DAY, { manifest: withoutFilm }, 'appended')],
    ['a day that contradicts itself', () => forge(dir, DAY, { snapshot: early }, 'replaced')],
    [
      'a day that was observed in part without a reason',
      () => forge(dir, DAY, { snapshot: partial }, 'replaced'),
    ],
  ])('both verifiers name the same days as bad: %s', async (_, change) => {
    await change()
    const { ours, theirs } = await bothVerdicts()
    expect(theirs).toEqual(ours)
    expect(ours.isBad).toBe(true)
  })

  test('both verifiers find any changed byte in any signed or derived file', async () => {
    const names = ['log', 'checkpoint', 'key', 'SHA256SUMS']
    const media = readdirSync(join(dir, DAY)).map((name) => `${DAY}/${name}`)
    const anywhere = fc.tuple(
      fc.constantFrom(...new Set([...names, ...media])),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.integer({ min: 1, max: 255 }),
    )
    const check = fc.asyncProperty(anywhere, async ([name, part, change]) => {
      const original = readFileSync(join(whole, name))
      const changed = Uint8Array.from(original)
      changed[Math.floor(part * original.length)]! ^= change
      overwriteFile(join(dir, name), changed)
      const { ours, theirs } = await bothVerdicts()
      overwriteFile(join(dir, name), original)
      expect([name, theirs.isBad]).toEqual([name, ours.isBad])
    })
    await fc.assert(check, { numRuns: 30 })
  })
})
