// Tests the static files: styles, icons, fonts, the protocol and its vectors.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { BrotliCompress } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { fileRoutes, servedFile } from '../../../server/http/static.ts'
import { ICON_FILE } from '../../../server/pages/frame/brand.ts'
import { styleSheetUrl } from '../../../server/pages/frame/stylesheet.ts'
import { callOf } from '../../support/call.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()

const projectFile = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url))
const vectors = () => readdirSync(new URL('../../../protocol/vectors', import.meta.url))

describe('static files', () => {
  test('the icon is served as it is in the repository', async () => {
    const { text } = await service.client.get(ICON_FILE.path)
    expect(text).toBe(projectFile('server/pages/static/icon.svg').toString())
  })

  test('the style sheet is one file without comments, and its font has an immutable URL', async () => {
    const { text } = await service.client.get(styleSheetUrl('days'))
    expect(text).not.toContain('/*')
    const [, url = ''] = text.match(/url\("([^"]*woff2)"\)/) ?? []
    const { headers, bytes } = await service.client.get(url)
    expect(Buffer.from(bytes)).toEqual(projectFile('server/pages/static/figures.woff2'))
    expect(headers.get('content-type')).toBe('font/woff2')
    expect(headers.get('cache-control')).toContain('immutable')
  })

  test.each([
    [styleSheetUrl('days'), 'text/css; charset=utf-8'],
    [ICON_FILE.path, 'image/svg+xml'],
  ])('%s is served with its type, and is cached for good by its hash', async (path, type) => {
    const { status, headers, bytes } = await service.client.get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    const hash = createHash('sha256').update(Buffer.from(bytes)).digest('hex')
    expect(path).toContain(`/static/${hash.slice(0, 16)}/`)
    const etag = headers.get('etag') as string
    const again = await service.client.get(path, { 'if-none-match': etag })
    expect(again).toMatchObject({ status: 304, text: '' })
  })

  test('a method other than GET and HEAD gets 405', async () => {
    const answer = await fetch(service.url + styleSheetUrl('days'), { method: 'PUT' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('GET, HEAD')
  })

  test('a file whose compression failed is compressed by the next request', async () => {
    const [route] = fileRoutes([servedFile('/x.css', 'x'.repeat(2_000))])
    const get = async () => route?.handle(callOf('/x.css', { 'accept-encoding': 'br' }))
    const compressing = vi.spyOn(BrotliCompress.prototype, 'end').mockImplementationOnce(() => {
      throw new Error('out of memory')
    })
    await expect(get()).rejects.toThrow('out of memory')
    expect(await get()).toMatchObject({ status: 200 })
    compressing.mockRestore()
  })

  test.each([
    '/static/',
    '/static/layout.ts',
    '/static/../layout.ts',
    '/static/%2e%2e/layout.ts',
    '/static/..%2flayout.ts',
    '/static/..%5clayout.ts',
    '/static//etc/passwd',
    '/static/days.css%00',
    '/static/days.css/',
    '/static/DAYS.CSS',
    '/transmissions/protocol/vectors/../SPEC.md%00',
    '/transmissions/protocol/vectors/..%2fframe.ts',
  ])('%s does not leak a file', async (path) => {
    const { status, text } = await service.client.get(path)
    if (path.endsWith('.css/')) expect([200, 404]).toContain(status)
    else expect(status).toBe(404)
    expect(text).not.toContain('export ')
  })
})

describe('protocol files', () => {
  test('the protocol page renders SPEC.md and links every vector', async () => {
    const { text, headers } = await service.client.get('/transmissions/protocol')
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    const title = projectFile('protocol/SPEC.md')
      .toString()
      .match(/^# (.*)$/m)?.[1] as string
    expect(text).toContain(`>${title}</h1>`)
    for (const name of vectors())
      expect(text).toContain(`href="/transmissions/protocol/vectors/${name}"`)
  })

  test('the contents of the protocol page distinguish its downloads from the chapter on vectors', async () => {
    const { text } = await service.client.get('/transmissions/protocol')
    const contents = Array.from(
      text.matchAll(/<li><a href="#[^"]*">([^<]*)/g),
      ([, title]) => title,
    )
    expect(contents.slice(-2)).toEqual(['13. Vectors', 'Downloads'])
  })

  test('SPEC.md and every vector are served byte for byte', async () => {
    const files = ['SPEC.md', ...vectors().map((name) => `vectors/${name}`)]
    for (const file of files) {
      const { status, bytes } = await service.client.get(`/transmissions/protocol/${file}`)
      expect(status).toBe(200)
      expect(sha256(bytes)).toBe(sha256(projectFile(`protocol/${file}`)))
    }
  })
})

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
