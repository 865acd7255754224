// Messages through the real server (specification, Message; API.md 1 and 4).
// Rules: API.md 1.1, 1.4-1.6, 2.3-2.4, 4.1-4.3.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../../support/service.ts'
import { anyText } from '../../support/texts.ts'

const service = await startTestService()
for (const path of ['board', 'board/below', 'silent'])
  await service.client.post('/api/v1/directories', { path })

const say = (body: unknown, more: object = {}) =>
  service.client.post('/api/v1/messages', { directory: 'board', body, ...more })
const idOf = (answer: { json: unknown }) => (answer.json as { message_id: bigint }).message_id
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')

describe('publishing messages', () => {
  test('the record, the text and the page of a message have what was sent and answered', async () => {
    const body = 'Grüße, 世界!\r\n\tمرحبا 🌙 \ufeff'
    const { json } = await say(body, { author_label: 'me' })
    const { message_id: id, url, visibility, ...fields } = json as Record<string, unknown>
    expect([fields.directory, fields.author_label, visibility]).toEqual(['board', 'me', 'public'])
    expect((await service.client.get(`${url}.json`)).json).toEqual({ id, body, ...fields })
    const text = await service.client.get(`${url}.txt`)
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(sha256(text.bytes)).toBe(fields.body_hash)
    expect((await service.client.get(String(url))).text).toContain(fields.body_hash)
  })

  test('any well-formed text is returned byte for byte', async () => {
    const text = anyText({ minLength: 1, maxLength: 200 }).filter(
      (s) => !/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/u.test(s) && /\P{White_Space}/u.test(s),
    )
    await fc.assert(
      fc.asyncProperty(text, async (body) => {
        const answer = await say(body)
        expect(answer.status).toBe(201)
        const stored = await service.client.get(`/messages/${idOf(answer)}.txt`)
        expect(stored.text).toBe(body)
      }),
      { numRuns: 60 },
    )
  })

  test('a message needs an existing directory with a valid path', async () => {
    expect(await say('x', { directory: 'A' })).toMatchObject({
      status: 400,
      code: 'invalid_directory',
    })
    const answer = await say('x', { directory: 'board/none' })
    expect(answer).toMatchObject({ status: 404, code: 'directory_not_found' })
  })
})

describe('reading messages', () => {
  let reads: TestService
  beforeAll(async () => {
    reads = await startTestService()
    for (const path of ['one', 'two', 'one/deep', 'empty'])
      await reads.client.post('/api/v1/directories', { path })
    for (let i = 0; i < 12; i++)
      await reads.client.post('/api/v1/messages', {
        directory: ['one', 'two', 'one/deep'][i % 3],
        body: `message ${i}`,
      })
  })

  const page = async (query: string) => {
    const { json } = await reads.client.get(`/api/v1/messages${query}`)
    const { messages, next_cursor } = json as {
      messages: { id: bigint; directory: string }[]
      next_cursor: bigint
    }
    return { ids: messages.map(({ id }) => Number(id)), next: next_cursor, messages }
  }

  test('the largest int64 cursor is returned without losing a digit', async () => {
    const answer = await reads.client.get('/api/v1/messages?after=9223372036854775807')
    expect(answer.text).toBe('{"messages":[],"next_cursor":9223372036854775807}')
  })

  test('the directory filter excludes subdirectories', async () => {
    expect((await page('?directory=one')).ids).toEqual([1, 4, 7, 10])
    expect((await page('?directory=one/deep&after=6')).ids).toEqual([9, 12])
    expect(await page('?directory=one&after=10')).toMatchObject({ ids: [], next: 10n })
  })

  test.each([
    ['?directory=none', 404, 'directory_not_found'],
    ['?directory=empty', 404, 'directory_not_found'],
    ['?directory=', 404, 'directory_not_found'],
    ['?directory=A', 400, 'invalid_directory'],
    ['?directory=*', 400, 'invalid_directory'],
    ['?directory=one%00', 400, 'invalid_directory'],
    ['?directory=one/', 400, 'invalid_directory'],
    ['?directory=one&directory=one', 400, 'invalid_directory'],
  ])('the query %s answers %i %s', async (query, status, code) => {
    expect(await reads.client.get(`/api/v1/messages${query}`)).toMatchObject({ status, code })
  })
})
