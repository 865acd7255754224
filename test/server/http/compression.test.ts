// Tests which content coding is chosen, what is compressed, and that each coding has its own ETag.
// Rules: API.md 2.4.
import { get } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { chooseEncoding } from '../../../server/http/compression.ts'
import { ICON_FILE } from '../../../server/pages/frame/brand.ts'
import { styleSheetUrl } from '../../../server/pages/frame/stylesheet.ts'
import { startTestService } from '../../support/service.ts'

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['gzip;q=1, br;q=0.9', 'gzip'],
  ['gzip;q=0, br;q=0', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=x', undefined],
  [';;,=', undefined],
])('Accept-Encoding "%s" selects %s', (field, encoding) => {
  expect(chooseEncoding(field, ['br', 'gzip'])).toBe(encoding)
})

const service = await startTestService()
await service.client.post('/api/v1/directories', { path: 'lab' })
for (let i = 0; i < 5; i++)
  await service.client.post('/api/v1/messages', { directory: 'lab', body: `${i} `.repeat(400) })

/** Returns a response as sent; fetch would decompress it. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>(
    (resolve, reject) => {
      get(service.url + path, { headers, method }, async (response) =>
        resolve({
          status: response.statusCode as number,
          headers: response.headers as Record<string, string>,
          bytes: await buffer(response),
        }),
      ).on('error', reject)
    },
  )
}

const DECOMPRESSED = { br: brotliDecompressSync, gzip: gunzipSync }

describe.each([
  [styleSheetUrl('days'), 'br'],
  [styleSheetUrl('days'), 'gzip'],
  ['/transmissions/protocol/SPEC.md', 'br'],
  ['/api/v1/messages', 'gzip'],
  ['/directories', 'gzip'],
  ['/d/lab', 'gzip'],
  ['/openapi.json', 'gzip'],
] as const)('%s as %s', (path, encoding) => {
  const accept = { 'accept-encoding': encoding }

  test('the compressed response has the same text in fewer bytes, and Vary names Accept-Encoding', async () => {
    const plain = await ask(path)
    const compressed = await ask(path, accept)
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(compressed.headers['content-encoding']).toBe(encoding)
    expect(DECOMPRESSED[encoding](compressed.bytes).equals(plain.bytes)).toBe(true)
    expect(compressed.bytes.length).toBeLessThan(plain.bytes.length)
    expect(compressed.headers['content-length']).toBe(String(compressed.bytes.length))
    for (const { headers } of [plain, compressed]) expect(headers.vary).toContain('Accept-Encoding')
  })

  test('the compressed response has its own ETag, which revalidates with 304', async () => {
    const { etag: plain = '' } = (await ask(path)).headers
    const { etag = '' } = (await ask(path, accept)).headers
    expect(etag).toMatch(/^"[^"]+"$/)
    expect(etag).not.toBe(plain)
    const revalidate = async (tag: string, more: Record<string, string>) =>
      (await ask(path, { 'if-none-match': tag, ...more })).status
    expect(await revalidate(etag, accept)).toBe(304)
    expect(await revalidate(plain, accept)).toBe(200)
    expect(await revalidate(etag, {})).toBe(200)
  })

  test('HEAD returns the same headers as GET', async () => {
    const { headers } = await ask(path, accept)
    const head = await ask(path, accept, 'HEAD')
    expect(head.bytes.length).toBe(0)
    for (const name of ['etag', 'content-encoding', 'content-length', 'vary'])
      expect(head.headers[name]).toBe(headers[name])
  })
})

test('small responses, message texts and audio are sent uncompressed', async () => {
  for (const path of [
    '/healthz',
    ICON_FILE.path,
    '/messages/1.txt',
    '/transmissions/protocol/vectors/clean.wav',
  ]) {
    const { headers } = await ask(path, { 'accept-encoding': 'gzip, br' })
    expect(headers['content-encoding']).toBeUndefined()
  }
})
