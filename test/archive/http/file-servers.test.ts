// Any file server serves an archive: those of other projects, and ones that close the connection after each answer or in
// the middle of one. An object store behind such a connection works as well.
// Rules: FORMAT.md 19.3.
import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { bucketPlace } from '../../../archive/place/bucket.ts'
import { folderPlace } from '../../../archive/place/folder.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { writeSums } from '../../../archive/writing/derived.ts'
import { CLOSINGS, closingProxy } from '../../support/closing-proxy.ts'
import { startFakeBucket } from '../../support/fake-bucket.ts'
import { temporaryFolder } from '../../support/release.ts'
import { IN_FULL, inFull } from '../../support/runs.ts'
import { openServed } from '../../support/served.ts'
import { until } from '../../support/time.ts'
import { bucketWriter } from '../../support/writers.ts'
import { type Day, publish } from '../days.ts'
import { verified } from '../decoding.ts'
import { found } from '../findings.ts'
import {
  filesIn,
  makeDays,
  mirrorFrom,
  publishSigned,
  serveFolder,
} from '../mirror/signed-archive.ts'
import { PROGRAMS } from './file-servers.ts'

const days = makeDays(2)
const sleep = () => Promise.resolve()

let mirrors = 0

const root = temporaryFolder()
// A server may run as another user.
chmodSync(root, 0o755)
const archive = join(root, 'archive')
await publishSigned(archive, days)
await writeSums(folderPlace(archive), new ArchiveReader(folderPlace(archive)), true)

/** Expects that a mirror and a verifier read the whole archive. */
async function expectServed(url: string): Promise<void> {
  const dir = join(root, `mirror-${mirrors++}`)
  expect(await mirrorFrom(url, dir)).toMatchObject({ ok: true, findings: [], updated: 2 })
  const [files, whole] = [filesIn(dir), filesIn(archive)]
  // Each mirror writes an index page of its own.
  whole.delete('index.html')
  for (const [name, bytes] of whole) expect(files.get(name), name).toEqual(bytes)
  const report = await verified(await openServed(url, { sleep }))
  expect(report).toMatchObject({ ok: true, log: { size: 2 } })
  expect(found(report)).toEqual([])
}

describe.each(PROGRAMS)('$name', ({ path, start }) => {
  test.runIf(IN_FULL && path)(
    'a mirror, a verifier, a repair and a browser read an archive from its folder',
    async () => {
      const url = await start(archive)
      await expectServed(url)
      const page = await (await fetch(`${url}/index.html`)).text()
      const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link)
      expect(links.length).toBeGreaterThan(12)
      for (const link of links)
        expect((await fetch(`${url}/${link}`, { method: 'HEAD' })).status, link).toBe(200)
    },
  )
})

describe.each(CLOSINGS)('a server that closes each connection after one answer (%s)', (closing) => {
  test('a mirror, a verifier and a repair read an archive from its folder', async () => {
    const server = await serveFolder(archive)
    const proxy = await closingProxy(Number(new URL(server.url).port), closing)
    await expectServed(proxy.url)
  })

  inFull(
    'a mirror, a verifier and a repair read an archive although every first answer is cut off',
    async () => {
      const server = await serveFolder(archive)
      const proxy = await closingProxy(Number(new URL(server.url).port), closing)
      const asked = new Map<string, number>()
      proxy.cutAfter = (request) => {
        const count = asked.get(request) ?? 0
        asked.set(request, count + 1)
        // In the head, after it, and far into a media file.
        return count % 2 === 0 ? [20, 300, 60_000][asked.size % 3] : undefined
      }
      await expectServed(proxy.url)
    },
  )

  test('an object store is written, read and verified', async () => {
    const store = await startFakeBucket()
    const { endpoint } = store.location.access
    const proxy = await closingProxy(Number(new URL(endpoint).port), closing)
    const access = { ...store.location.access, endpoint: proxy.url }
    const place = await bucketPlace({ ...store.location, access }, { random: () => 0 })
    await publish(bucketWriter(place), days[0] as Day)
    expect(await verified(place)).toMatchObject({ ok: true })
    const medium = [...store.objects.keys()].find((key) => key.endsWith('.wav')) as string
    const stream = await place.open(medium, 10, 100_009)
    const bytes = 'problem' in stream ? [] : await new Response(stream).bytes()
    expect(Buffer.from(bytes)).toEqual(store.objects.get(medium)?.body.subarray(10, 100_010))
  })
})

const FAST = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const CODINGS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: (bytes: Buffer) => brotliCompressSync(bytes, FAST),
  zstd: zstdCompressSync,
}

test.each(Object.entries(CODINGS).slice(0, IN_FULL ? undefined : 1))(
  'a mirror, a verifier and a repair read an archive from a server that always applies %s',
  async (coding, compress) => {
    const server = await serveFolder(archive)
    server.tamper = (_, response, bytes) => {
      if (bytes.length === 0) return false
      response.writeHead(200, { 'content-encoding': coding }).end(compress(bytes))
      return true
    }
    await expectServed(server.url)
  },
)

test('an interrupted file is requested as a whole from a server that compresses ranges', async () => {
  const server = await serveFolder(archive)
  const headers = { etag: '"compressed"', 'content-encoding': 'gzip' }
  const broken = new Set<string>()
  server.tamper = ({ url = '', headers: { range } }, response, bytes) => {
    if (!url.endsWith('.wav')) return false
    const start = Number(/[0-9]+/.exec(range ?? '')?.[0] ?? 0)
    if (!broken.has(url)) {
      broken.add(url)
      const begin = gzipSync(bytes, { level: 0 }).subarray(0, 90_000)
      response.writeHead(200, { ...headers, 'content-length': bytes.length })
      response.write(begin)
      const part = join(root, `mirror-${mirrors - 1}`, '.incoming', `${url}.part`)
      const hasBegun = () => existsSync(part) && statSync(part).size > 0
      void until(hasBegun).then(() => response.destroy())
    } else if (range) {
      const content = `bytes ${start}-${bytes.length - 1}/${bytes.length}`
      response.writeHead(206, { ...headers, 'content-range': content })
      response.end(gzipSync(bytes).subarray(30))
    } else response.writeHead(200, headers).end(gzipSync(bytes))
    return true
  }
  await expectServed(server.url)
  expect(server.requests.filter((request) => request.includes(' bytes='))).toHaveLength(2)
})
