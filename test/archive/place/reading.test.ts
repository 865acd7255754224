// Tests that one archive is read in the same way at all four places: a folder, an object store, a running service and a
// plain file server.
// Rules: FORMAT.md 2.7, 19.3.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { isDay } from '../../../archive/format/calendar.ts'
import { ROOT } from '../../../archive/format/paths.ts'
import { Client } from '../../../archive/http/client.ts'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { openPlace } from '../../../archive/place/open.ts'
import { FileServerPlace, isService, ServicePlace } from '../../../archive/place/served.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { filesIn, makeDays, publishSigned, serveFolder } from '../mirror/signed-archive.ts'
import { testPlace } from './contract.ts'

const days = makeDays(3)
const options = { random: () => 0, sleep: () => Promise.resolve() }
const client = new Client({ ...options, maxFailed: Number.POSITIVE_INFINITY })
/** Nothing listens here. */
const NOWHERE = 'http://127.0.0.1:1'

const service = await startTestService({}, clockAt('2026-11-20T12:00:00Z'))
const dir: string = service.archiveDir
await publishSigned(dir, days)
const server = await serveFolder(dir)
const store = await startFakeBucket()
const bucket = await bucketPlace(store.location, options)
for (const [key, content] of filesIn(dir)) if (!key.startsWith('.')) await bucket.put(key, content)
afterEach(() => {
  server.tamper = null
})

const of = { dir: () => dir, days }

describe('a folder', () => {
  const openNowhere = () => openPlace({ dir: join(dir, 'nowhere') }, options)
  testPlace({ ...of, open: () => openPlace({ dir }, options), openNowhere })

  it('a folder lists its entries, whatever they are', async () => {
    const other = temporaryFolder()
    writeFileSync(join(other, 'b'), '')
    const entries = await folderPlace(other).entries(ROOT)
    expect(entries).toEqual([{ name: 'b', type: 'file' }])
    expect(await folderPlace(other).entries('2026-11-01')).toEqual([])
  })
})

describe('an object store', () => {
  const access = { endpoint: NOWHERE, region: 'x', accessKeyId: 'x', secretAccessKey: 'x' }
  const openNowhere = () => openPlace({ bucket: 'archive', prefix: '', access }, options)
  testPlace({ ...of, open: () => openPlace(store.location, options), openNowhere })
})

describe('a running service', () => {
  const openNowhere = async () => new ServicePlace(NOWHERE, client)
  testPlace({ ...of, open: () => openPlace({ url: service.url }, options), openNowhere })

  it('a service states content types', async () => {
    const place = await openPlace({ url: service.url }, options)
    expect(await place.read('log')).toMatchObject({ contentType: 'text/plain' })
    expect(isService(place)).toBe(true)
  })
})

describe('a plain file server', () => {
  const openNowhere = async () => new FileServerPlace(NOWHERE, client)
  testPlace({ ...of, open: () => openPlace({ url: server.url }, options), openNowhere })

  it('a file without a stated length is measured by reading it', async () => {
    const place = await openPlace({ url: server.url }, options)
    server.tamper = ({ method }, response) =>
      method === 'HEAD' &&
      Boolean(response.writeHead(200, { 'transfer-encoding': 'chunked' }).end())
    expect(await place.stat('log')).toMatchObject({ bytes: filesIn(dir).get('log')?.length })
  })

  it('a file without end is read no further than its bound', async () => {
    const place = await openPlace({ url: server.url }, options)
    server.tamper = (_, response) => Boolean(response.writeHead(200).end(Buffer.alloc(1_000_000)))
    expect(await place.read('checkpoint')).toMatchObject({ problem: { code: 'too_large' } })
  })

  it('an archive without a log has no days there', async () => {
    const place = new FileServerPlace(server.url, client)
    server.tamper = (_, response) => Boolean(response.writeHead(404).end())
    expect((await place.folders()).filter(isDay)).toEqual([])
  })
})
