// Tests what --repair --from takes from another archive of the same days, and what it rejects (WRITING.md 2.5).
// Rules: WRITING.md 2.5.
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { repairDays } from '../../../pipeline/repair/repair.ts'
import { openCopy, readCopy } from '../../../pipeline/run/archive.ts'
import type { DayOutcome } from '../../../pipeline/run/session.ts'
import { filenameOf } from '../../archive/days.ts'
import { filesIn, serveFolder } from '../../archive/mirror/signed-archive.ts'
import { temporaryFolder } from '../../support/release.ts'
import { openWorkshop } from '../workshop.ts'

const DAY = '2026-11-18'

/** A copy without dot names, like a mirror. */
let copy: string

const workshop = await openWorkshop()
const first = await workshop.archive(DAY)
await workshop.archive('2026-11-19', first)
const pipeline = await workshop.pipeline()

let whole: Map<string, Buffer>
beforeEach(() => {
  whole ??= filesIn(workshop.archiveDir)
  copy = temporaryFolder()
  for (const [name, bytes] of whole) put(workshop.archiveDir, name, bytes)
  cpSync(workshop.archiveDir, copy, { recursive: true })
})

function put(dir: string, name: string, bytes: Uint8Array | string): void {
  rmSync(join(dir, name), { force: true })
  writeFileSync(join(dir, name), bytes)
  chmodSync(join(dir, name), 0o644)
}

async function repair(place = copy, day = DAY): Promise<DayOutcome | undefined> {
  const outcomes: DayOutcome[] = []
  await repairDays(pipeline, [day], (outcome) => outcomes.push(outcome), await openCopy(place))
  return outcomes[0]
}

const FILES: [string, () => string[]][] = [
  ['a sound', () => [filenameOf(first, 'wav')]],
  ['a picture', () => [filenameOf(first, 'png')]],
  ['a film', () => [filenameOf(first, 'mp4')]],
  ['<day>.json', () => [snapshotName(DAY)]],
  ['a manifest', () => [manifestName(DAY)]],
  ['manifest and <day>.json', () => [manifestName(DAY), snapshotName(DAY)]],
  ['everything', () => [...whole.keys()].filter((n) => n.startsWith(DAY)).map((n) => n.slice(11))],
]

describe('repairs from a folder', () => {
  test.each(FILES)('a repair restores %s that is missing', async (_, names) => {
    for (const name of names()) rmSync(join(workshop.archiveDir, DAY, name))
    expect(await repair()).toMatchObject({ status: 'repaired' })
    expect(filesIn(workshop.archiveDir)).toEqual(whole)
  })

  test.each(FILES)('a repair restores %s that is damaged', async (_, names) => {
    for (const name of names()) put(join(workshop.archiveDir, DAY), name, 'damaged')
    expect(await repair()).toMatchObject({ status: 'repaired' })
    expect(filesIn(workshop.archiveDir)).toEqual(whole)
  })

  test('a repair does not change an intact day', async () => {
    expect(await repair()).toEqual({ day: DAY, status: 'present' })
  })

  test.each(FILES)('a repair rejects a copy with other bytes for %s', async (_, names) => {
    for (const name of names()) {
      rmSync(join(workshop.archiveDir, DAY, name))
      put(join(copy, DAY), name, Buffer.from('another'))
    }
    const outcome = await repair()
    expect(outcome?.message).toContain('the copy has other bytes')
    for (const [name, bytes] of filesIn(workshop.archiveDir))
      expect(bytes, name).toEqual(whole.get(name))
  })
})

test('a missing copy fails with one line', async () => {
  const nowhere = join(copy, 'nowhere')
  await expect(openCopy(nowhere)).rejects.toThrow(`${nowhere}: does not exist`)
})

test('the next day proves <day>.json when the manifest and its leaf are lost', async () => {
  const log = Object.create(pipeline.log, {
    entries: { value: [] },
    refuseChanged: { value: async () => {} },
    append: { value: async () => [] },
  })
  rmSync(join(workshop.archiveDir, DAY, manifestName(DAY)))
  rmSync(join(workshop.archiveDir, DAY, snapshotName(DAY)))
  const outcomes: DayOutcome[] = []
  const versions = { node: '24.21.0', sharp: '0.35.5' }
  const without = { ...pipeline, log, tools: { ...pipeline.tools, versions } }
  const from = await openCopy(copy)
  await repairDays(without, [DAY], (outcome) => outcomes.push(outcome), from)
  expect(outcomes[0]?.message).toContain(snapshotName(DAY))
  const name = `${DAY}/${snapshotName(DAY)}`
  expect(readFileSync(join(workshop.archiveDir, name))).toEqual(whole.get(name))
})

test('a repair reads a copy from a plain file server', async () => {
  const server = await serveFolder(copy)
  for (const [, names] of FILES.slice(0, 5))
    for (const name of names()) rmSync(join(workshop.archiveDir, DAY, name))
  expect(await repair(server.url)).toMatchObject({ status: 'repaired' })
  expect(filesIn(workshop.archiveDir)).toEqual(whole)
})

test('a repair reports files that the server of the copy fails to deliver, with their addresses', async () => {
  const server = await serveFolder(copy)
  for (const name of FILES.at(-1)![1]()) rmSync(join(workshop.archiveDir, DAY, name))
  let failing = /\.json$/
  server.tamper = ({ url = '' }, response) =>
    failing.test(url) && Boolean(response.writeHead(403).end())
  try {
    const manifest = `${server.url}/${DAY}/${manifestName(DAY)}`
    expect(await repair(server.url)).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(`${manifest}: the server answers 403`),
    })
    const from = await openCopy(server.url)
    failing = /log$/
    await expect(readCopy(from, 'log')).rejects.toThrow('/log: the server answers 403')
    expect(await readCopy(from, 'no-such-file')).toBeNull()
  } finally {
    await server.close()
  }
})
