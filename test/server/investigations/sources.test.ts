// Sources and the size of metadata (specification: Source, Investigation create request; API.md 1.5, 1.6 and 1.8).
// Rules: API.md 1.4-1.5, 1.8, 7.5.
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { listen } from '../../support/listen.ts'
import { QUESTION } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const PATH = '/api/v1/investigations'

const service = await startTestService()
await service.publish.directory('lab')

const open = (changes: object) =>
  service.client.post(PATH, { directory: 'lab', ...QUESTION, ...changes })
const withSource = (url: unknown, note?: unknown) =>
  open({ sources: [{ url, ...(note !== undefined && { note }) }] })

const rootOf = async (id: bigint) => {
  const { json } = await service.client.get(`${PATH}/${id}`)
  return (json as { investigation: Record<string, unknown> }).investigation
}

describe('Source: url', () => {
  const long = (length: number) => `https://a.example/${'x'.repeat(length - 18)}`

  test.each([
    'http://a.example',
    'https://a.example/',
    'https://a.example:8443/p?q=a@b#c@d',
    'https://a.example/user@host',
    'https://[2001:db8::1]/',
    'https://例え.example/ä?ö',
    'https://a.example/%zz',
    long(2048),
  ])('the URL %s is accepted and returned as sent', async (url) => {
    const reply = await withSource(url)
    expect(reply.status).toBe(201)
    const root = await rootOf((reply.json as { id: bigint }).id)
    expect(root.sources).toEqual([{ url, note: '' }])
  })

  test.each([
    ['empty', ''],
    ['of another scheme', 'ftp://a.example/'],
    ['with an upper-case scheme', 'HTTPS://a.example/'],
    ['with one slash', 'https:/a.example/'],
    ['relative', '//a.example/'],
    ['a script', 'javascript:alert(1)'],
    ['without a host', 'https://'],
    ['with a port out of range', 'https://a.example:65536/'],
    ['with an impossible host', 'https://a b.example/'],
    ['with a space', 'https://a.example/a b'],
    ['with a first space', ' https://a.example/'],
    ['with a tab, which the parser would drop', 'https://a.ex\tample/'],
    ['with a final line feed', 'https://a.example/\n'],
    ['with a no-break space', 'https://a.example/\u00a0'],
    ['with an ideographic space', 'https://a.example/\u3000'],
    ['with a backslash', 'https://a.example\\b'],
    ['with a control character', 'https://a.example/\u0001'],
    ['with a C1 control', 'https://a.example/\u009f'],
    ['with U+FFFE', 'https://a.example/\ufffe'],
    ['with a user', 'https://me@a.example/'],
    ['with a user and a password', 'https://me:secret@a.example/'],
    ['with an empty user', 'https://@a.example/'],
    ['with an empty user and password', 'https://:@a.example/'],
    ['with a user after superfluous slashes', 'https:////me@a.example/'],
    ['of 2049 characters', long(2049)],
    ['of over 2048 bytes', `https://a.example/${'ä'.repeat(1016)}`],
    ['that is null', null],
    ['that is a number', 1],
    ['missing', undefined],
  ])('a URL %s is rejected', async (_, url) => {
    const reply = await withSource(url)
    expect(reply).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(reply.message).toMatch(/^sources\[0\]\.url: /)
  })

  test('the error message names the source and its rule', async () => {
    const good = { url: 'https://a.example/' }
    const reply = await open({ sources: [good, good, { url: 'gopher://a.example' }] })
    expect(reply.message).toBe('sources[2].url: must start with http:// or https://')
  })
})

test('a note that is null is rejected', async () => {
  const reply = await withSource('https://a.example/', null)
  expect(reply).toMatchObject({ status: 400, code: 'invalid_request' })
  expect(reply.message).toMatch(/^sources\[0\]\.note: /)
})

describe('sources', () => {
  const sources = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ url: `https://a.example/${i}` }))

  test('8 sources are stored in order, duplicates included, and 9 are rejected', async () => {
    const eight = [...sources(7), ...sources(1)]
    const reply = await open({ sources: eight })
    const root = await rootOf((reply.json as { id: bigint }).id)
    expect(root.sources).toEqual(eight.map(({ url }) => ({ url, note: '' })))
    expect(await open({ sources: sources(9) })).toMatchObject({ status: 400 })
  })

  test('a source with an unknown property is rejected', async () => {
    const source = { url: 'https://a.example/', title: 'x' }
    expect(await open({ sources: [source] })).toMatchObject({ status: 400 })
  })
})

test('a source is never requested, neither when it is published nor when it is read', async () => {
  const requested: (string | undefined)[] = []
  const site = await listen(
    createServer((request, response) => {
      requested.push(request.url)
      response.end()
    }),
  )
  const reply = await withSource(`${site.url}/source`)
  const { id } = reply.json as { id: bigint }
  for (const accept of ['text/html', 'application/json'])
    expect((await service.client.get(`/investigations/${id}`, { accept })).status).toBe(200)
  // It would arrive after any request that the service has begun.
  await fetch(`${site.url}/ours`)
  expect(requested).toEqual(['/ours'])
})
