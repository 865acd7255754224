// The memory of verify for a bucket: media with the same key, ETag and size are not read again.
// Rules: COMMANDS.md 1.5.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { manifestBytes } from '../../../archive/format/manifest.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { BucketMemory } from '../../../archive/place/memory.ts'
import { verifyArchive } from '../../../archive/verify/archive.ts'
import { type FakeBucket, startFakeBucket } from '../../support/fake-bucket.ts'
import { overwriteFile } from '../../support/overwrite-file.ts'
import { bucketWriter } from '../../support/writers.ts'
import { filenameOf, makeDay, publish } from '../days.ts'
import { decode } from '../decoding.ts'

const first = makeDay('2026-11-18', null)
const second = makeDay('2026-11-19', first)
const PNG = `2026-11-19/${filenameOf(second, 'png')}`

let store: FakeBucket
let folder: string
let warnings: string[]
beforeAll(async () => {
  store = await startFakeBucket()
})
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'memory-'))
  warnings = []
  store.objects.clear()
  const writer = bucketWriter(await bucketPlace(store.location, { random: () => 0 }))
  for (const day of [first, second]) await publish(writer, day)
  await check()
})
afterEach(() => rmSync(folder, { recursive: true }))
afterAll(() => store.stop())

const openMemory = (bucket = 'archive', isEmpty = false) =>
  BucketMemory.open({
    folder,
    purpose: 'verified',
    bucket: { ...store.location, bucket },
    warn: (line) => warnings.push(line),
    isEmpty,
  })

/** Verifies as the command does. @returns the media that were read and the codes of the findings */
async function check({ bucket = 'archive', isEmpty = false } = {}) {
  const place = await bucketPlace({ ...store.location }, { random: () => 0 })
  const memory = await openMemory(bucket, isEmpty)
  store.requests.length = 0
  const { days } = await verifyArchive(place, { decode, memory })
  await memory.save()
  const read = store.requests.filter((name) => /^GET .*\.(wav|mp4|png)$/.test(name))
  const codes = days.flatMap(({ findings }) => findings.map(({ code }) => code))
  return { read: read.map((name) => name.slice(4)), codes }
}

const memoryFile = () => join(folder, readdirSync(folder)[0] as string)

/** Replaces an object, by default without changing its ETag. */
function replace(key: string, content: Buffer, etag = store.objects.get(key)?.etag ?? ''): void {
  store.objects.set(key, { body: content, etag, at: new Date() })
}

describe('a bucket that was verified before', () => {
  it('a second verification reads every manifest and no media', async () => {
    expect(await check()).toEqual({ read: [], codes: [] })
    expect(store.requests).toContain('GET 2026-11-19/2026-11-19.manifest.json')
    expect(store.requests.filter((name) => name.startsWith('HEAD'))).toEqual([])
  })

  it('a media file with another ETag or size is read again, and a missing one is reported', async () => {
    const content = store.objects.get(PNG)?.body as Buffer
    replace(PNG, content, '"another"')
    expect(await check()).toEqual({ read: [PNG], codes: [] })
    expect(await check()).toEqual({ read: [], codes: [] })
    replace(PNG, Buffer.concat([content, Buffer.from('x')]))
    expect(await check()).toEqual({ read: [PNG], codes: ['medium_hash'] })
    expect(await check()).toEqual({ read: [PNG], codes: ['medium_hash'] })
    store.objects.delete(PNG)
    expect((await check()).codes).toEqual(['missing'])
  })

  it('a media file is read again when its manifest states something else about it', async () => {
    const { media } = second.manifest
    const manifest = { ...second.manifest, media: { ...media, png: { ...media.png, width: 65 } } }
    replace('2026-11-19/2026-11-19.manifest.json', Buffer.from(manifestBytes(manifest)))
    expect(await check()).toEqual({ read: [PNG], codes: ['medium_facts'] })
  })

  it('everything is read again if the memory is lost or to be ignored', async () => {
    expect((await check({ isEmpty: true })).read).toHaveLength(6)
    expect((await check()).read).toEqual([])
    rmSync(folder, { recursive: true })
    expect((await check()).read).toHaveLength(6)
    expect(warnings).toEqual([])
  })

  it.each([
    ['truncated', (text: string) => text.slice(0, -20)],
    ['of another version', (text: string) => text.replace('_memory":1', '_memory":0')],
    ['of invalid values', (text: string) => text.replace(/\[("[^,]*),\d+,/, '[$1,null,')],
  ])('a memory that is %s is ignored with a one-line warning', async (_name, damage) => {
    overwriteFile(memoryFile(), damage(readFileSync(memoryFile(), 'utf8')))
    expect((await check()).read).toHaveLength(6)
    expect(warnings).toEqual([`${memoryFile()}: is damaged and ignored`])
    expect((await check()).read).toEqual([])
  })

  it('a memory forgets the files that a run over the whole archive has not met', async () => {
    const keys = () => Object.keys(JSON.parse(readFileSync(memoryFile(), 'utf8')).files)
    const [first, ...others] = keys()
    const memory = await openMemory()
    const [version, bytes] = JSON.parse(readFileSync(memoryFile(), 'utf8')).files[first!]
    expect(memory.recall(first!, { version, bytes })).not.toBeNull()
    memory.note('new', { version: '"v"', bytes: 1 }, 'fact')
    await memory.save()
    expect(keys()).toEqual([first, ...others, 'new'])
    memory.forgetUnused()
    await memory.save()
    expect(keys()).toEqual([first, 'new'])
  })

  it('progress is reported before the first day and after each', async () => {
    const place = await bucketPlace(store.location, { random: () => 0 })
    const progress: string[] = []
    const onProgress = (done: number, days: number) => progress.push(`${done} of ${days}`)
    await verifyArchive(place, { memory: await openMemory(), onProgress })
    expect(progress).toEqual(['0 of 2', '1 of 2', '2 of 2'])
  })

  it('the memory of another bucket does not count', async () => {
    expect((await check({ bucket: 'another' })).read).toHaveLength(6)
    expect(readdirSync(folder)).toHaveLength(2)
    expect((await check()).read).toEqual([])
  })
})
