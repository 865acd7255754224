// A mirror takes the leaves of days.
// Rules: FORMAT.md 19.1, 22.1-22.2; COMMANDS.md 4.1-4.2.

import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { leavesKey } from '../../../archive/format/paths.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { runs } from '../../support/runs.ts'
import { type Day, makeDayWithLeaves } from '../days.ts'
import { verified } from '../decoding.ts'
import { faultsIn } from '../findings.ts'
import { mirrorFixture } from './mirror-fixture.ts'

/** Three days, the second of which has no messages. */
function makeDays(): Day[] {
  const first = makeDayWithLeaves('2026-11-03', null, { first: 1, count: 2 })
  const second = makeDayWithLeaves('2026-11-04', first, { first: 3, count: 0 })
  return [first, second, makeDayWithLeaves('2026-11-05', second, { first: 3, count: 4 })]
}

const OLD = '2026-11-03'
const NEW = '2026-11-05'
const at = mirrorFixture(makeDays())

function mirror() {
  at.server.requests.length = 0
  return at.mirror()
}

async function faults(): Promise<string[]> {
  return faultsIn(await verified(at.dir, { quick: true }))
}

/** The files of a day in the mirror. */
const filesOf = async (day: string) => (await folderPlace(at.dir).list(day)).map(({ name }) => name)
const hasLeaves = (day: string) => existsSync(join(at.dir, leavesKey(day)))
const asked = () => at.server.requests.filter((path) => path.endsWith('.leaves'))
const addressOf = (day: string) => `/${leavesKey(day)}`

/** Answers each request for the leaves of a day with other bytes. */
function serveOther(day: string, edit: (text: string) => string): void {
  at.answer(addressOf(day), (_, response, bytes) => {
    response.end(edit(bytes.toString()))
  })
}

test('a mirror has the leaves of its days and is intact, and asks little when nothing is new', async () => {
  expect(await mirror()).toMatchObject({ ok: true, days: 3 })
  for (const day of [OLD, NEW])
    expect(readFileSync(join(at.dir, leavesKey(day)))).toEqual(
      readFileSync(join(at.source, leavesKey(day))),
    )
  expect(await faults()).toEqual([])
  expect(await mirror()).toMatchObject({ ok: true, updated: 0 })
  expect(asked()).toEqual([])
  expect(at.server.requests.length).toBeLessThanOrEqual(6)
})

test('a mirror fetches the leaves that it has lost', async () => {
  await mirror()
  rmSync(join(at.dir, leavesKey(OLD)))
  expect(await mirror()).toMatchObject({ ok: true, updated: 1 })
  expect(asked()).toEqual([addressOf(OLD)])
  expect(hasLeaves(OLD)).toBe(true)
  expect(existsSync(join(at.dir, '.incoming', OLD))).toBe(false)
})

test('leaves of which a killed run has left a part are fetched', async () => {
  await mirror()
  rmSync(join(at.dir, leavesKey(NEW)))
  const staging = join(at.dir, '.incoming', NEW)
  mkdirSync(staging, { recursive: true })
  writeFileSync(join(staging, `${NEW}.leaves.part`), 'a part', { mode: 0o444 })
  expect(await mirror()).toMatchObject({ ok: true })
  expect(hasLeaves(NEW)).toBe(true)
  expect(existsSync(staging)).toBe(false)
  expect(await faults()).toEqual([])
})

/** Far more than the leaves of the days here. */
const LARGE_MIB = runs(1, 100)

test.each<[string, (text: string) => string, string]>([
  [
    'with another leaf',
    (text) => text.replace(/^./, (c) => (c === 'a' ? 'b' : 'a')),
    'has another root',
  ],
  ['cut', (text) => text.slice(0, -10), 'line 4 is not 64 lower-case'],
  ['with one more', (text) => text + text.slice(0, 65), 'line 5 is not 64 lower-case'],
  ['with CR LF', (text) => text.replaceAll('\n', '\r\n'), 'line 1 is not 64 lower-case'],
  [`of ${LARGE_MIB} MiB`, () => '0'.repeat(LARGE_MIB * 2 ** 20), 'line 1 is not 64 lower-case'],
])('a day whose leaves arrive %s is not taken until they are right', async (_, edit, message) => {
  serveOther(NEW, edit)
  const report = await mirror()
  expect(report.findings).toEqual([
    { code: 'leaves_differ', file: leavesKey(NEW), message: expect.stringContaining(message) },
  ])
  expect(hasLeaves(NEW)).toBe(false)
  expect(await filesOf(NEW)).not.toContain(`${NEW}.manifest.json`)
  at.server.tamper = null
  expect(await mirror()).toMatchObject({ ok: true, updated: 1 })
  expect(await faults()).toEqual([])
})

test('damaged leaves of another size are fetched again', async () => {
  await mirror()
  rmSync(join(at.dir, leavesKey(NEW)))
  cpSync(join(at.source, leavesKey(OLD)), join(at.dir, leavesKey(NEW)))
  expect(await faults()).toEqual([`leaves_differ ${leavesKey(NEW)}`])
  expect(await mirror()).toMatchObject({ ok: true, updated: 1 })
  expect(await faults()).toEqual([])
})

test('a day whose leaves the source withholds is not taken', async () => {
  rmSync(join(at.source, leavesKey(NEW)))
  const report = await mirror()
  expect(report.findings).toMatchObject([{ code: 'missing', file: leavesKey(NEW) }])
  expect(await filesOf(NEW)).not.toContain(`${NEW}.manifest.json`)
})
