// The page that listens over HTTP: it may ask for the microphone and connect to nothing, and no other page may ask.
// Rules: API.md 2.4.
import { expect, test } from 'vitest'
import { startTestService } from '../../support/service.ts'

test('only the page that listens may ask for the microphone, and it may connect to nothing', async () => {
  const { client } = await startTestService()
  const { headers, text } = await client.get('/transmissions/listen')
  expect(headers.get('permissions-policy')).toBe('microphone=(self)')
  expect(headers.get('content-security-policy')).toContain("connect-src 'none'")
  const others = [
    '/',
    '/write',
    '/transmissions',
    '/transmissions/decode',
    '/api/v1/messages',
    '/x',
  ]
  const script = /<script type="module" src="([^"]+)">/.exec(text)?.[1] as string
  for (const path of [...others, script, script.replace('listen-page', 'listen-worklet')]) {
    const answer = await client.get(path)
    expect(answer.headers.get('permissions-policy'), path).toBe('microphone=()')
  }
  const posted = await client.post('/api/v1/messages', {})
  expect(posted.headers.get('permissions-policy')).toBe('microphone=()')
})
