// verify reports days that are lost, misplaced, unfinished or filled in later.
// Rules: FORMAT.md 11.1-11.2, 12.1, 13.2.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { manifestName } from '../../../archive/format/paths.ts'
import { filenameOf, makeDay, withoutFilm } from '../days.ts'
import { found } from '../findings.ts'
import { archiveFixture, first, second, third } from './archive-fixture.ts'

const { path, verify, writeDays } = archiveFixture()

describe('days', () => {
  it('a day without a manifest fails, unless a run is in progress or was killed', async () => {
    const name = `2026-11-19/${manifestName('2026-11-19')}`
    rmSync(path(name))
    const lost = await verify()
    expect(found(lost)).toEqual([`missing ${name}`])
    expect(lost.ok).toBe(false)
    // Nothing but the log tells a lost manifest from one that is not written yet.
    for (const file of ['log', 'checkpoint', 'key']) rmSync(path(file))
    const begun = await verify()
    expect(found(begun)).toEqual(['staging_left 2026-11-19/2026-11-19.json'])
    expect(begun.ok).toBe(true)
    expect(begun.days.map(({ day }) => day)).toEqual(['2026-11-17', '2026-11-18'])
    // A mirror keeps the manifest there until it has the day's files.
    mkdirSync(path('.incoming', '2026-11-19'), { recursive: true })
    const mirrored = await verify()
    expect(found(mirrored)).toEqual(['staging_left .incoming/2026-11-19'])
    expect(mirrored.ok).toBe(true)
  })

  it('a media file that a killed repair has already published is a note and does not fail', async () => {
    writeDays(first, second, withoutFilm(third))
    mkdirSync(path('.incoming', '2026-11-19'), { recursive: true })
    const staged = path('.incoming', '2026-11-19', manifestName('2026-11-19'))
    writeFileSync(staged, manifestBytes(third.manifest))
    const video = `2026-11-19/${filenameOf(third, 'mp4')}`
    writeFileSync(path(video), third.media.mp4)
    const report = await verify()
    expect(found(report)).toEqual(['staging_left .incoming/2026-11-19', `staging_left ${video}`])
    expect(report.ok).toBe(true)
    const picture = `2026-11-19/${'0'.repeat(64)}.png`
    writeFileSync(path(picture), '')
    rmSync(path('.incoming'), { recursive: true })
    expect(found(await verify()).sort()).toEqual([`staging_left ${video}`, `stray ${picture}`])
  })
})

const late = { generated_at: '2026-11-25T00:00:00.000Z' }
const early = { generated_at: '2026-11-19T00:00:00.000Z' }
const alone = makeDay('2026-11-19', first)
const filled = makeDay('2026-11-18', first, late)
const after = makeDay('2026-11-20', alone, { generated_at: '2026-11-26T00:00:00.000Z' })

it.each([
  ['between two others', '2026-11-19', [first, filled, alone]],
  ['while the clock was behind', '2026-11-19', [first, makeDay('2026-11-18', first, early), alone]],
  ['before all others', '2026-11-17', [makeDay('2026-11-16', null, late), first]],
  ['before one that names it', '2026-11-19', [first, filled, alone, after]],
])('a day filled in %s is a note on the next one that was there', async (_, noted, days) => {
  writeDays(...days)
  const report = await verify()
  expect(report.ok).toBe(true)
  expect(report.days.every(({ ok }) => ok)).toBe(true)
  expect(found(report)).toEqual([`filled_in_later ${noted}/${noted}.json`])
  const { findings } = report.days.find(({ day }) => day === noted)!
  expect(findings[0]?.message).toMatch(/^names .* as previous; .* came later$|^names no /)
})

it('progress is reported before the first day and after each', async () => {
  const progress: string[] = []
  await verify({ onProgress: (done, days) => progress.push(`${done} of ${days}`) })
  expect(progress).toEqual(['0 of 3', '1 of 3', '2 of 3', '3 of 3'])
})
