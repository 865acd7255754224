// Tests what a run on an object store requests, and that no change is overlooked.
// Rules: WRITING.md 3.2, 3.4.
import { beforeEach, describe, expect, it } from 'vitest'
import { nextDay } from '../../archive/format/calendar.ts'
import { bucketPlace } from '../../archive/place/bucket.ts'
import { withPipeline } from '../../pipeline/run/session.ts'
import {
  filenameOf,
  makeDay,
  makeManifest,
  makeSnapshot,
  PROPERTIES,
  publish,
  withoutFilm,
} from '../archive/days.ts'
import { databaseIn } from '../support/database.ts'
import { type FakeBucket, startFakeBucket } from '../support/fake-bucket.ts'
import { temporaryFolder } from '../support/release.ts'
import { inFull } from '../support/runs.ts'
import { bucketWriter } from '../support/writers.ts'
import { configIn, contextAt, UNHEARD } from './workshop.ts'

const FIRST = '2026-09-01'
const SUMS = `${FIRST}/${FIRST}.sha256`

/** All days share the media files of one, as nothing decodes them here. */
const { media, manifest } = makeDay(FIRST, null)
const rendered_with = { ...manifest.rendered_with }

let bucket: FakeBucket
let dir: string
let database: string
let warnings: string[]
beforeEach(async () => {
  bucket = await startFakeBucket()
  bucket.pageSize = 1000
  dir = temporaryFolder()
  warnings = []
  database = await databaseIn(dir)
})

const openWriter = async () => bucketWriter(await bucketPlace(bucket.location, { random: () => 0 }))

async function publishDays(count: number): Promise<void> {
  const writer = await openWriter()
  for (let n = 0, day = FIRST; n < count; n++, day = nextDay(day)) {
    const snapshot = makeSnapshot(day)
    await publish(writer, { snapshot, media, manifest: makeManifest(snapshot, media) })
  }
}

/**
 * Runs the pipeline without archiving a day.
 * @returns the days that other runs have begun, the requests except lists, and the errors of days that were not logged
 */
async function run() {
  const config = { ...configIn(dir), database, archive: bucket.location }
  const report = { ...UNHEARD, warn: (line: string) => void warnings.push(line) }
  const context = { ...contextAt(Date.now), random: () => 0, report }
  bucket.requests.length = 0
  const { failed, begun } = await withPipeline(config, context, async (pipeline, failed) => ({
    failed,
    begun: await pipeline.archive.reader.begunDays(),
  }))
  return {
    begun,
    requests: bucket.requests.filter((name) => name !== 'GET '),
    failed: failed.map(({ error }) => (error as { code?: string }).code),
  }
}

const textOf = (key: string) => bucket.objects.get(key)?.body.toString()

it('of each archived day, a run with nothing to do reads only small files, at most four times', async () => {
  await publishDays(3)
  // The first run writes the derived files.
  await run()
  const { requests } = await run()
  const ofDays = requests.filter((name) => /\d{4}-\d\d-\d\d/.test(name))
  expect(ofDays.filter((name) => !/^GET .*\.(manifest\.json|sha256)$/.test(name))).toEqual([])
  expect(ofDays.length).toBeLessThanOrEqual(3 * 4)
  expect(requests.length - ofDays.length).toBeLessThan(20)
  expect(warnings).toEqual([])
})

describe('a day that a killed run has begun', () => {
  it('a day with a snapshot but no manifest counts as begun', async () => {
    await publishDays(1)
    await (await openWriter()).fixSnapshot(makeSnapshot('2026-01-01'))
    expect((await run()).begun).toEqual(['2026-01-01'])
  })

  it('a media file that a killed run has left is written again, because it may be damaged', async () => {
    const writer = await openWriter()
    await writer.putMedium(FIRST, 'png', media.png)
    const [key = ''] = bucket.objects.keys()
    const whole = bucket.objects.get(key)!
    bucket.objects.set(key, { ...whole, body: Buffer.alloc(media.png.length) })
    await writer.putMedium(FIRST, 'png', media.png)
    expect(bucket.objects.get(key)?.body).toEqual(whole.body)
  })
})

inFull.each([
  ['a check file', SUMS],
  ['the check file of all days', 'SHA256SUMS'],
])('%s that is missing or damaged is written again', async (_name, key) => {
  await publishDays(2)
  await run()
  const before = textOf(key)
  bucket.objects.delete(key)
  await run()
  expect(textOf(key)).toBe(before)
  bucket.objects.set(key, { body: Buffer.from('x'), etag: '"x"', at: new Date() })
  await run()
  expect(textOf(key)).toBe(before)
})

inFull('a replaced manifest that was not logged gets its leaf and check file', async () => {
  const snapshot = makeSnapshot(FIRST)
  const whole = { snapshot, media, manifest: makeManifest(snapshot, media) }
  const writer = await openWriter()
  await publish(writer, withoutFilm(whole))
  await run()
  await run()
  await writer.addMedium(FIRST, 'mp4', media.mp4, PROPERTIES.mp4, rendered_with)
  expect((await run()).failed).toEqual([])
  expect(textOf('log')?.split('\n')).toHaveLength(3)
  expect(textOf(SUMS)).toContain(filenameOf(whole, 'mp4'))
})
