// Tests that a page that many read is rendered once, and when it is rendered again.
// Rules: API.md 2.9.
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { KeptPages } from '../../../server/http/kept-pages.ts'
import { callOf } from '../../support/call.ts'
import { clockAt } from '../../support/service.ts'

/** Renders pages that tell how often they were rendered, longer than what is sent uncompressed. */
function pagesIn() {
  const clock = clockAt('2026-11-20T12:00:00.000Z')
  const state = { version: 1, rendered: 0 }
  const kept = new KeptPages(async () => state.version, clock)
  const render = async () => ({
    kind: 'html' as const,
    text: `${++state.rendered}. ${'x'.repeat(2_000)}`,
    mayConnect: true,
  })
  const get = (path: string, headers = {}) =>
    kept.answer(callOf(path, headers), 'revalidate', render)
  const rendering = async (path: string) => parseInt(String((await get(path)).body), 10)
  return { clock, state, kept, get, rendering }
}

test('a page is rendered once for all its readers, and compressed once', async () => {
  const { get, rendering } = pagesIn()
  expect(await rendering('/')).toBe(1)
  expect(await rendering('/')).toBe(1)
  const zipped = await get('/', { 'accept-encoding': 'gzip' })
  const again = await get('/', { 'accept-encoding': 'gzip' })
  expect(gunzipSync(zipped.body as Buffer).toString()).toMatch(/^1\. x/)
  expect(again.body).toBe(zipped.body)
  expect(again.mayConnect).toBe(true)
})

test('each commit renders a page again, and so does each second', async () => {
  const { clock, state, rendering } = pagesIn()
  await rendering('/')
  state.version = 2
  expect(await rendering('/')).toBe(2)
  clock.pass(999)
  expect(await rendering('/')).toBe(2)
  clock.pass(1)
  expect(await rendering('/')).toBe(3)
})

test('a commit while a page is being rendered renders it again for the next reader', async () => {
  const { state, kept, rendering } = pagesIn()
  await kept.answer(callOf('/'), 'revalidate', async () => {
    state.version = 2
    return { kind: 'html', text: 'before the commit' }
  })
  expect(await rendering('/')).toBe(1)
})

test('hosts, addresses and queries do not share a page, and one with a query is not kept', async () => {
  const { kept, rendering } = pagesIn()
  expect(await rendering('/')).toBe(1)
  expect(await rendering('/feed.atom')).toBe(2)
  expect(await rendering('/?after=1')).toBe(3)
  expect(await rendering('/?after=1')).toBe(4)
  const other = Object.assign(callOf('/'), { host: 'other.example' })
  const answer = await kept.answer(other, 'revalidate', async () => ({ kind: 'html', text: 'b' }))
  expect(String(answer.body)).toBe('b')
  expect(await rendering('/')).toBe(1)
})

test('a page that cannot be rendered fails for its reader only', async () => {
  const { kept, rendering } = pagesIn()
  const failing = async () => {
    throw new Error('no such page')
  }
  await expect(kept.answer(callOf('/'), 'revalidate', failing)).rejects.toThrow('no such page')
  expect(await rendering('/')).toBe(1)
})

test('a reader whose copy is current gets 304, in each coding', async () => {
  const { get } = pagesIn()
  for (const coding of ['gzip', 'identity']) {
    const { headers } = await get('/', { 'accept-encoding': coding })
    const etag = headers[headers.indexOf('ETag') + 1] as string
    const again = await get('/', { 'accept-encoding': coding, 'if-none-match': etag })
    expect(again).toMatchObject({ status: 304, body: null })
  }
})
