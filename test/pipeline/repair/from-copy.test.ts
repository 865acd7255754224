// Tests what --repair --from takes from another archive of the same days, and what it rejects (WRITING.md 2.5).
// Rules: WRITING.md 2.5.
import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { manifestName, snapshotName } from '../../../archive/format/paths.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import type { Place } from '../../../archive/place/place.ts'
import { repairDays } from '../../../pipeline/repair/repair.ts'
import { readCopy } from '../../../pipeline/run/archive.ts'
import type { DayOutcome } from '../../../pipeline/run/session.ts'
import { filenameOf } from '../../archive/days.ts'
import { filesIn, serveFolder } from '../../archive/mirror/signed-archive.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { released, temporaryFolder } from '../../support/release.ts'
import { openServed } from '../../support/served.ts'
import { openWorkshop, withoutLog } from '../workshop.ts'

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

async function repair(from: Place = folderPlace(copy)): Promise<DayOutcome | undefined> {
  const outcomes: DayOutcome[] = []
  await repairDays(pipeline, [DAY], (outcome) => outcomes.push(outcome), from)
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
  test.each(FILES)('a repair restores %s that is missing or damaged', async (_, names) => {
    const folder = join(workshop.archiveDir, DAY)
    for (const harm of [rmSync, (path: string) => put(path, '', 'damaged')]) {
      for (const name of names()) harm(join(folder, name))
      expect(await repair()).toMatchObject({ status: 'repaired' })
      expect(filesIn(workshop.archiveDir)).toEqual(whole)
    }
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

test('the next day proves <day>.json when the manifest and its leaf are lost', async () => {
  rmSync(join(workshop.archiveDir, DAY, manifestName(DAY)))
  rmSync(join(workshop.archiveDir, DAY, snapshotName(DAY)))
  const outcomes: DayOutcome[] = []
  const versions = { node: '24.21.0', sharp: '0.35.5' }
  const without = { ...withoutLog(pipeline), tools: { ...pipeline.tools, versions } }
  await repairDays(without, [DAY], (outcome) => outcomes.push(outcome), folderPlace(copy))
  expect(outcomes[0]?.message).toContain(snapshotName(DAY))
  const name = `${DAY}/${snapshotName(DAY)}`
  expect(readFileSync(join(workshop.archiveDir, name))).toEqual(whole.get(name))
})

async function copyInBucket(): Promise<Place> {
  const store = await startFakeBucket()
  released(store.stop)
  const place = await bucketPlace(store.location, { random: () => 1 })
  for (const [key, content] of filesIn(copy))
    if (!key.startsWith('.')) await place.put(key, content)
  return place
}

test.each([
  ['a plain file server', async () => openServed((await serveFolder(copy)).url)],
  ['an object store', copyInBucket],
])('a repair reads a copy from %s', async (_, open) => {
  const from = await open()
  for (const [, names] of FILES.slice(0, 5))
    for (const name of names()) rmSync(join(workshop.archiveDir, DAY, name))
  expect(await repair(from)).toMatchObject({ status: 'repaired' })
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
    expect(await repair(await openServed(server.url))).toMatchObject({
      status: 'failed',
      message: expect.stringContaining(`${manifest}: the server answers 403`),
    })
    const from = await openServed(server.url)
    failing = /log$/
    await expect(readCopy(from, 'log')).rejects.toThrow('/log: the server answers 403')
    expect(await readCopy(from, 'no-such-file')).toBeNull()
  } finally {
    await server.close()
  }
})
