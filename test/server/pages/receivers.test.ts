// The pages that decode and listen, over HTTP: their scripts, the recordings that one can embed, and what the browser lets
// them do: no page connects, and only the one that listens may ask for the microphone.
// Rules: API.md 2.4, 9.1.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rounded } from '../../../server/pages/static/decode/results.ts'
import { startTestService } from '../../support/service.ts'

const { client } = await startTestService()

test('the page, its script and its worker may connect to nothing, and the scripts are cached as immutable', async () => {
  const page = await client.get('/transmissions/decode')
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'none'")
  const script = page.text.match(/<script type="module" src="([^"]+)">/)?.[1] as string
  const worker = script.replace('decode-page.js', 'decode-worker.js')
  for (const path of [script, worker]) {
    const { status, headers, text } = await client.get(path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("connect-src 'none'")
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(text).not.toMatch(/import type|: Uint8Array/)
  }
  const other = script.replace(/[0-9a-f]{16}/, '0'.repeat(16))
  expect((await client.get(other)).status).toBe(404)
  const files = script.replace('decode-page.js', 'decode-results.js')
  expect((await client.get(files)).status).toBe(404)
})

test('with the name of a test vector the page embeds its recording, and never any other file', async () => {
  const { text } = await client.get('/transmissions/decode?vector=short.wav')
  const [, name, base64 = ''] =
    /<template id="embedded" data-name="(.*)">(.*)<\/template>/.exec(text) ?? []
  expect(name).toBe('short.wav')
  const vector = new URL('../../../protocol/vectors/short.wav', import.meta.url)
  expect(Buffer.from(base64, 'base64')).toEqual(readFileSync(vector))
  for (const other of ['code.json', '../SPEC.md', ''])
    expect((await client.get(`/transmissions/decode?vector=${other}`)).status).toBe(404)
})

test('a number that rounds to zero is shown without a sign', () => {
  expect(rounded(-0.001, 2)).toBe('0.00')
  expect(rounded(-0, 1)).toBe('0.0')
  expect(rounded(-0.06, 1)).toBe('-0.1')
})

test('only the page that listens may ask for the microphone, and it may connect to nothing', async () => {
  const { headers, text } = await client.get('/transmissions/listen')
  expect(headers.get('permissions-policy')).toBe('microphone=(self)')
  expect(headers.get('content-security-policy')).toContain("connect-src 'none'")
  const others = '/ /write /transmissions /transmissions/decode /api/v1/messages /x'.split(' ')
  const script = /<script type="module" src="([^"]+)">/.exec(text)?.[1] as string
  for (const path of [...others, script, script.replace('listen-page', 'listen-worklet')]) {
    const answer = await client.get(path)
    expect(answer.headers.get('permissions-policy'), path).toBe('microphone=()')
  }
  const posted = await client.post('/api/v1/messages', {})
  expect(posted.headers.get('permissions-policy')).toBe('microphone=()')
})
