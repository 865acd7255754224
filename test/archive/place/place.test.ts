// Tests that folders and object stores fulfil the contract of Place, and how a bucket's faults are handled.
// Rules: FORMAT.md 2.7, 20.1; WRITING.md 1.2, 3.1, 3.3; API.md 9.12.
import { readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ArchiveError, badFile } from '../../../archive/base/errors.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { CachingPlace } from '../../../archive/place/caching.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { parseBucketUrl } from '../../../archive/place/location.ts'
import { type Place, readExisting, readUsable } from '../../../archive/place/place.ts'
import { scanFile } from '../../../archive/verify/leaves.ts'
import { type FakeBucket, startFakeBucket } from '../../support/fake-bucket.ts'
import { faultyDisk } from '../../support/faulty-disk.ts'
import { released, temporaryFolder } from '../../support/release.ts'
import { withReplaced } from '../../support/replaced-fs.ts'
import { contentAt, testWritablePlace } from './contract.ts'

/** Makes every retry pause 0 ms long. */
const random = () => 0
const bytes = (text: string) => new Uint8Array(Buffer.from(text))

const bucket = await startFakeBucket()
beforeEach(() => {
  bucket.objects.clear()
  bucket.requests.length = 0
  bucket.fault = () => undefined
})

const open = () => bucketPlace(bucket.location, { random })

describe('a folder', () => {
  testWritablePlace(async () => folderPlace(temporaryFolder()))

  it('the folder that a file is renamed into is synced', async () => {
    const dir = temporaryFolder()
    const { disk, writes } = faultyDisk()
    await folderPlace(dir, disk).put('2026-11-19/2026-11-19.sha256', bytes('x'))
    const renamed = writes.findIndex(({ name }) => name === 'rename')
    const synced = writes.slice(renamed).filter(({ name }) => name === 'syncFolder')
    expect(synced.map(({ path }) => path)).toContain(join(dir, '2026-11-19'))
  })

  it('nothing is written behind a link, which would lead out of the folder', async () => {
    const [dir, outside] = [temporaryFolder(), temporaryFolder()]
    symlinkSync(outside, join(dir, '2026-11-19'))
    writeFileSync(join(dir, 'arriving'), 'x')
    const place = folderPlace(dir)
    const key = '2026-11-19/2026-11-19.json'
    const conflict = {
      code: 'conflict',
      message: '2026-11-19 is a link, and nothing is written behind it',
    }
    await expect(place.put(key, bytes('x'))).rejects.toMatchObject(conflict)
    await expect(place.moveIn(join(dir, 'arriving'), key)).rejects.toMatchObject(conflict)
    expect(readdirSync(outside)).toEqual([])
  })

  it('nothing is read through a link, be it the file or its folder', async () => {
    const [dir, outside] = [temporaryFolder(), temporaryFolder()]
    writeFileSync(join(outside, '2026-11-19.leaves'), 'x')
    symlinkSync(outside, join(dir, '2026-11-19'))
    symlinkSync(join(outside, '2026-11-19.leaves'), join(dir, 'log'))
    symlinkSync('key', join(dir, 'key'))
    const place = folderPlace(dir)
    for (const key of ['2026-11-19/2026-11-19.leaves', 'log', 'key']) {
      expect(await place.stat(key)).toBeNull()
      const message = expect.stringMatching(/^is (in|not)/)
      expect(await place.read(key)).toEqual(badFile('not_a_file', message))
      expect(await place.open(key, 0, 9)).toEqual(badFile('not_a_file', message))
    }
  })

  it('an error of what reads a file is not taken for one of the file', async () => {
    const dir = temporaryFolder()
    writeFileSync(join(dir, 'log'), 'x')
    const failing = async () => {
      throw new Error('not mine')
    }
    await expect(scanFile(folderPlace(dir), 'log', 9n, failing)).rejects.toThrow('not mine')
  })

  it('a file that is removed while its folder is listed does not fail the list', async () => {
    const dir = temporaryFolder()
    for (const name of ['key', 'log']) writeFileSync(join(dir, name), name)
    const list = () => folderPlace(dir).list('.')
    const listed = await withReplaced(
      'lstat',
      (real) => async (path, options) => {
        const stats = await real(path, options)
        if (path === join(dir, 'key')) rmSync(path)
        return stats
      },
      list,
    )
    expect(listed.map(({ name }) => name)).toContain('log')
  })
})

describe('a bucket that wants quoted ETags', () => {
  testWritablePlace(open)
})

describe('a bucket that wants bare ETags, below a prefix', () => {
  let bare: FakeBucket
  beforeAll(async () => {
    bare = await startFakeBucket('bare')
  })
  testWritablePlace(async () => {
    bare.objects.clear()
    bare.objects.set('other/log', { body: Buffer.from('x'), etag: '"x"', at: new Date() })
    return bucketPlace({ ...bare.location, prefix: 'archives/one' }, { random })
  })
})

describe('a cached bucket', () => {
  /** Lets the test pass the time of timers until it ends. */
  function useFakeTimers(): void {
    vi.useFakeTimers({ toNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    released(() => vi.useRealTimers())
  }

  it('concurrent reads share one request, and the cache serves an unreachable bucket', async () => {
    await (await open()).put('log', bytes('1'))
    bucket.requests.length = 0
    const place = new CachingPlace(await open())
    const files = await Promise.all(Array.from({ length: 20 }, () => place.read('log')))
    expect(files.every((file) => 'content' in file && file.content.length === 1)).toBe(true)
    bucket.fault = () => 503
    expect(await contentAt(place, 'log')).toEqual(bytes('1'))
    expect(bucket.requests).toEqual(['GET log'])
    expect(await place.read('key')).toMatchObject({ problem: { code: 'http_status' } })
  })

  it('a bucket that hangs is served from the cache after a second, and later reads do not wait', async () => {
    useFakeTimers()
    let responses: (() => Promise<{ content: Uint8Array; version: string }>)[] = []
    const hung = Promise.withResolvers<never>()
    let requests = 0
    const read = () => {
      requests += 1
      return responses.shift()?.() ?? hung.promise
    }
    const place = new CachingPlace({ read, stat: read } as unknown as Place)
    const isSettledAfter = async (work: Promise<unknown>, ms: number) => {
      let isSettled = false
      const settle = () => {
        isSettled = true
      }
      work.then(settle, settle)
      await vi.advanceTimersByTimeAsync(ms)
      return isSettled
    }
    const first = async () => ({ content: bytes('1'), version: '1' })
    responses = [first, first]
    await place.read('log')
    await place.read('SHA256SUMS')
    await vi.advanceTimersByTimeAsync(10_000)
    // The first read waits a second. Once the store is known to be slow, no other read waits.
    const slow = contentAt(place, 'log')
    expect(await isSettledAfter(slow, 999)).toBe(false)
    expect(await isSettledAfter(slow, 1)).toBe(true)
    expect(await slow).toEqual(bytes('1'))
    expect(await isSettledAfter(place.read('SHA256SUMS'), 0)).toBe(true)
    expect(requests).toBe(4)
    // After a failure, uncached reads send no request for a while.
    hung.reject(new ArchiveError('archive_unavailable', 'hangs'))
    await vi.advanceTimersByTimeAsync(0)
    const hangs = { problem: { code: 'unreachable', message: 'hangs' } }
    expect(await place.read('key')).toEqual(hangs)
    expect(await place.open('medium', 0, 1)).toEqual(hangs)
    await expect(place.stat('medium')).rejects.toThrow('hangs')
    expect(requests).toBe(4)
    // The first response ends the outage.
    await vi.advanceTimersByTimeAsync(3_000)
    responses = [async () => ({ content: bytes('2'), version: '2' })]
    expect(await contentAt(place, 'key')).toEqual(bytes('2'))
    responses = [async () => ({ content: bytes('3'), version: '3' })]
    expect(await contentAt(place, 'log')).toEqual(bytes('3'))
  })

  it.each([
    ['read again after a new checkpoint', '2', ['GET checkpoint', 'GET log']],
    ['cached while the checkpoint is the same', '1', ['GET checkpoint']],
  ])('the log is %s, and served while the store is unreachable', async (_, next, requests) => {
    useFakeTimers()
    const [place, written] = [new CachingPlace(await open()), await open()]
    for (const key of ['checkpoint', 'log']) await written.put(key, bytes('1'))
    await place.read('checkpoint')
    await vi.advanceTimersByTimeAsync(5_000)
    await place.read('log')
    await written.put('checkpoint', bytes(next))
    await vi.advanceTimersByTimeAsync(5_000)
    bucket.requests.length = 0
    expect(await contentAt(place, 'checkpoint')).toEqual(bytes(next))
    await place.read('log')
    expect(bucket.requests).toEqual(requests)
    bucket.fault = () => 503
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await contentAt(place, 'checkpoint')).toEqual(bytes(next))
    expect(await contentAt(place, 'log')).toEqual(bytes('1'))
  })
})

describe('a bucket with faults', () => {
  it.each([409, 429, 500, 503])('a request that gets %i succeeds on a retry', async (status) => {
    const place = await open()
    let left = 2
    bucket.fault = () => (left-- > 0 ? status : undefined)
    expect(await place.putIfAbsent('log', bytes('1'))).not.toBeNull()
    left = 2
    expect(await contentAt(place, 'log')).toEqual(bytes('1'))
  })

  it('a bucket that keeps failing is reported by one line that names it', async () => {
    bucket.fault = () => 503
    const place = await open()
    await expect(readUsable(place, 'log')).rejects.toMatchObject({
      code: 'archive_unavailable',
      message: 's3://archive/log: answers 503 SlowDown',
    })
    await expect(place.put('log', bytes('1'))).rejects.toMatchObject({ code: 'storage_failed' })
    expect(bucket.requests).toHaveLength(10)
  })

  it('a missing bucket is never taken for a missing file', async () => {
    bucket.fault = () => 'no bucket'
    const place = await open()
    const error = expect.objectContaining({
      code: 'archive_unavailable',
      message: expect.stringMatching(/answers 404 NoSuchBucket$/),
    })
    const missing = badFile('http_status', 'answers 404 NoSuchBucket')
    expect(await place.read('log')).toEqual(missing)
    expect(await place.open('log', 0, 1)).toEqual(missing)
    await expect(readExisting(place, 'log', 'invalid_log')).rejects.toEqual(error)
    await expect(place.stat('log')).rejects.toEqual(error)
    await expect(place.list('.')).rejects.toEqual(error)
  })

  it('a bucket that does not respond is reported as unreachable', async () => {
    bucket.fault = () => 'lost'
    const place = await bucketPlace(bucket.location, { random, tries: 1 })
    await expect(place.put('log', bytes('1'))).rejects.toMatchObject({
      code: 'archive_unavailable',
      message: expect.stringContaining('cannot be reached'),
    })
    // The response was lost, but the request was not.
    expect(bucket.objects.get('log')?.body.toString()).toBe('1')
  })

  it('a conditional write whose response is lost is recognized as successful when retried', async () => {
    let [writes, lost] = [0, 0]
    bucket.fault = (request) => {
      if (!request.startsWith('PUT') || ++writes % 2 !== 0) return undefined
      lost += 1
      return 'lost'
    }
    const place = await open()
    let version = await place.putIfAbsent('log', bytes('0'))
    for (let n = 1; n < 8; n++) {
      expect(version).not.toBeNull()
      version = await place.replace('log', bytes(`${n}`), version)
    }
    expect(lost).toBeGreaterThan(3)
    expect(bucket.objects.get('log')?.body.toString()).toBe('7')
  })

  it.each([
    ['has no conditional PUT', 501],
    ['ignores If-None-Match', 'ignores conditions'],
  ] as const)('the probe rejects a bucket that %s', async (reason, fault) => {
    bucket.fault = (request) => (request.startsWith('PUT') ? fault : undefined)
    await expect((await open()).probe()).rejects.toMatchObject({
      code: 'archive_unwritable',
      message: expect.stringContaining(reason),
    })
  })

  it('the probe accepts a bucket with conditional writes, also when several runs probe at once', async () => {
    const probes = Array.from({ length: 5 }, async () => (await open()).probe())
    await expect(Promise.all(probes)).resolves.toHaveLength(5)
  })
})

describe('the URL of a bucket', () => {
  const env = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' }
  const parse = (url: string, more = {}) => parseBucketUrl('ARCHIVE_URL', url, { ...env, ...more })

  it.each([
    ['s3://bucket', 'bucket', ''],
    ['s3://my.bucket-1/', 'my.bucket-1', ''],
    ['s3://bucket/town/archive', 'bucket', 'town/archive'],
  ])('%s names a bucket and a prefix', (url, bucket, prefix) => {
    expect(parse(url)).toMatchObject({ bucket, prefix })
  })

  it.each([
    ['https://bucket/town', /PREFIX$/],
    ['s3:bucket', /PREFIX$/],
    ['s3://', /; a bucket's name has 3 to 63 /],
    ['s3://Bucket', /; a bucket's name has 3 to 63 /],
    ['s3://b', /; a bucket's name has 3 to 63 /],
    ['s3://bucket?x', /; a bucket's name has 3 to 63 /],
    ['s3://bucket/../x', /; a prefix has letters, /],
    ['s3://bucket//x', /; a prefix has letters, /],
    ['s3://bucket/a b', /; a prefix has letters, /],
  ])('%s is rejected with the violated rule', (url, rule) => {
    expect(() => parse(url)).toThrow(/^ARCHIVE_URL: must be s3:\/\/BUCKET/)
    expect(() => parse(url)).toThrow(rule)
  })

  it('the AWS variables set endpoint, region and credentials, and the error names a missing one', () => {
    expect(parse('s3://bucket', { AWS_REGION: 'eu-west-1' }).access.endpoint).toBe(
      'https://s3.eu-west-1.amazonaws.com',
    )
    const AWS_ENDPOINT_URL = 'http://other:1'
    const AWS_ENDPOINT_URL_S3 = 'http://bucket:9000/'
    const more = { AWS_ENDPOINT_URL, AWS_ENDPOINT_URL_S3, AWS_SESSION_TOKEN: 'token' }
    expect(parse('s3://bucket', more).access).toEqual({
      endpoint: 'http://bucket:9000',
      region: 'us-east-1',
      accessKeyId: 'key',
      secretAccessKey: 'secret',
      sessionToken: 'token',
    })
    expect(parse('s3://bucket', { AWS_ENDPOINT_URL }).access.endpoint).toBe('http://other:1')
    expect(() => parse('s3://bucket', { AWS_ENDPOINT_URL: 'bucket:9000' })).toThrow(
      /^AWS_ENDPOINT_URL: must be an http/,
    )
    expect(() => parse('s3://bucket', { AWS_ENDPOINT_URL: 'http://:secret@bucket' })).toThrow(
      /^AWS_ENDPOINT_URL: must be without user and password$/,
    )
    expect(() => parse('s3://bucket', { AWS_SECRET_ACCESS_KEY: '' })).toThrow(
      /^AWS_SECRET_ACCESS_KEY: is needed/,
    )
  })
})
