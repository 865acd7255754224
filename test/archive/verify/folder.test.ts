// verify finds and names every file in a folder that was changed, moved, added or removed.
// Rules: FORMAT.md 2.2, 2.4, 2.7, 12.1, 12.3, 13.1.
import { chmodSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { runs } from '../../support/runs.ts'
import { filenameOf, makeDay, perCounter, withoutFilm } from '../days.ts'
import { found } from '../findings.ts'
import { archiveFixture, first, second, third } from './archive-fixture.ts'

const { path, verify, overwrite, writeDays } = archiveFixture()

describe('good archives', () => {
  it('a good archive has no findings, and verification does not change it', async () => {
    const state = () => readdirSync(path(), { recursive: true }).sort()
    const before = state()
    const heard: string[] = []
    const report = await verify({ onDay: ({ day }) => heard.push(day) })
    const days = ['2026-11-17', '2026-11-18', '2026-11-19']
    expect(report).toMatchObject({
      ok: true,
      days: days.map((day) => ({ day, ok: true, findings: [] })),
      findings: [],
    })
    expect(heard).toEqual(days)
    expect(state()).toEqual(before)
  })

  it('the pipeline’s own files next to the days are not reported', async () => {
    for (const suffix of ['', '-journal', '-wal', '-shm'])
      writeFileSync(path(`.pipeline.lock${suffix}`), '')
    writeFileSync(path('.writing'), '')
    expect(found(await verify())).toEqual([])
  })

  it('media may be missing if the manifest states the reason', async () => {
    writeDays(withoutFilm(first))
    expect(found(await verify())).toEqual([])
  })

  it('a day on which nothing could be counted verifies', async () => {
    const [from, to] = ['2026-11-20T00:00:00.000Z', '2026-11-21T00:00:00.000Z']
    const unknown = makeDay('2026-11-20', third, {
      counters: perCounter(() => null),
      availability: perCounter(() => false),
      coverage: {
        status: 'none',
        observed_seconds: 0,
        reasons: [{ code: 'service_not_running', from, to }],
      },
      clock: { status: 'unverified' },
      conclusion: 'inconclusive',
    })
    writeDays(first, second, third, unknown)
    expect(found(await verify())).toEqual([])
  })
})

const files: [string, () => string, number][] = [
  ['snapshot', () => `2026-11-18/${snapshotName('2026-11-18')}`, runs(10, 60)],
  ['manifest', () => `2026-11-18/${manifestName('2026-11-18')}`, runs(15, 120)],
  ['sound', () => `2026-11-18/${filenameOf(second, 'wav')}`, runs(3, 25)],
  ['video', () => `2026-11-18/${filenameOf(second, 'mp4')}`, runs(3, 25)],
  ['picture', () => `2026-11-18/${filenameOf(second, 'png')}`, runs(3, 25)],
]
it.each(files)('any changed byte of a %s fails its day', async (_, name, numRuns) => {
  const original = new Uint8Array(readFileSync(path(name())))
  const last = original.length - 1
  const anywhere = fc.tuple(fc.nat(last), fc.integer({ min: 1, max: 255 }))
  const check = fc.asyncProperty(anywhere, async ([at, change]) => {
    const changed = Uint8Array.from(original)
    changed[at]! ^= change
    overwrite(name(), changed)
    const report = await verify()
    expect(report.ok).toBe(false)
    expect(report.days.map((day) => day.ok)).toEqual([true, false, expect.any(Boolean)])
    expect(report.days[1]?.findings.map(({ file }) => file)).toContain(name())
  })
  await fc.assert(check, { numRuns, examples: [[[0, 1]], [[last, 1]]] })
})

it('a file of gigabytes is not read into memory', async () => {
  const png = `2026-11-18/${filenameOf(second, 'png')}`
  chmodSync(path(png), 0o644)
  truncateSync(path(png), 8 * 1024 ** 3)
  expect(found(await verify())).toEqual([`too_large ${png}`])
})
