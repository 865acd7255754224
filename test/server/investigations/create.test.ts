// Opening an investigation (specification: CreateRequest, CreateResponse; API.md 1 and 7).
// Rules: API.md 1.6-1.7, 4.4, 7.5.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { QUESTION } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const PATH = '/api/v1/investigations'
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const service = await startTestService()
for (const path of ['lab', 'lab/deep', '.dotted'])
  await service.client.post('/api/v1/directories', { path })

const open = (changes: object = {}, headers: Record<string, string> = {}) =>
  service.client.post(PATH, { directory: 'lab', ...QUESTION, ...changes }, headers)

const rootOf = async (id: bigint) => {
  const { json } = await service.client.get(`${PATH}/${id}`)
  return (json as { investigation: Record<string, unknown> }).investigation
}

describe('CreateResponse', () => {
  test('the response has the eight fields in the order of the table, Location and no-store', async () => {
    const reply = await open({ body: 'Größe?\n' })
    const { id, root_message_id: root } = reply.json as { id: bigint; root_message_id: bigint }
    expect(reply.status).toBe(201)
    expect(Object.entries(reply.json as object)).toEqual([
      ['id', id],
      ['root_message_id', root],
      ['url', `/investigations/${id}`],
      ['message_url', `/messages/${root}`],
      ['format_version', 1n],
      ['body_hash', createHash('sha256').update('Größe?\n').digest('hex')],
      ['received_at', expect.stringMatching(INSTANT)],
      ['visibility', 'public'],
    ])
    expect(reply.headers.get('location')).toBe(`/investigations/${id}`)
    expect(reply.headers.get('cache-control')).toBe('no-store')
    expect(reply.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('investigation ids have their own sequence, and questions share the one of messages', async () => {
    const ids = async (reply: Promise<{ json: unknown }>) =>
      (await reply).json as { id: bigint; root_message_id: bigint }
    const first = await ids(open())
    await service.client.post('/api/v1/messages', { directory: 'lab', body: 'between' })
    const second = await ids(open())
    expect(second.id - first.id).toBe(1n)
    expect(second.root_message_id - first.root_message_id).toBe(2n)
  })

  test('the question is a message of its directory like any other', async () => {
    const reply = await open({ directory: 'lab/deep', body: 'who?', author_label: 'me' })
    const { root_message_id: root } = reply.json as { root_message_id: bigint }
    const { json } = await service.client.get('/api/v1/messages?directory=lab/deep')
    expect(json).toMatchObject({
      messages: [{ id: root, directory: 'lab/deep', body: 'who?', author_label: 'me' }],
    })
  })

  test('an omitted author_label becomes an empty string, omitted sources an empty list', async () => {
    const { id } = (await open()).json as { id: bigint }
    expect(await rootOf(id)).toMatchObject({ author_label: '', sources: [], links: [] })
  })
})

describe('CreateRequest: properties', () => {
  test.each(['directory', 'title', 'body'])('the property %s is required', async (name) => {
    const reply = await open({ [name]: undefined })
    expect(reply).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(reply.message).toBe(`${name}: is required`)
  })

  test.each(['id', 'links', 'kind', 'visibility', 'Title'])(
    'the unknown property %s is rejected',
    async (name) => {
      expect(await open({ [name]: '' })).toMatchObject({ status: 400, code: 'invalid_request' })
    },
  )

  test('__proto__ is rejected like any unknown property', async () => {
    const request = `{"directory":"lab","title":"t","body":"b","__proto__":{}}`
    expect(await service.client.post(PATH, request)).toMatchObject({ status: 400 })
    const inSource = `{"directory":"lab","title":"t","body":"b","sources":[{"url":"http://a.example/","__proto__":1}]}`
    expect(await service.client.post(PATH, inSource)).toMatchObject({ status: 400 })
  })

  test.each(['directory', 'title', 'body', 'author_label', 'sources'])(
    'the property %s is rejected if its type is wrong',
    async (name) => {
      for (const value of [null, 1, true, {}, ['x'], name === 'sources' ? 'x' : []]) {
        const reply = await open({ [name]: value })
        expect(reply).toMatchObject({ status: 400, code: 'invalid_request' })
        expect(reply.message).toMatch(new RegExp(`^${name}`))
      }
    },
  )

  test.each(['[]', '"text"', '1', 'null', 'true'])('a request of %s is rejected', async (text) => {
    expect(await service.client.post(PATH, text)).toMatchObject({ status: 400 })
  })
})

describe('CreateRequest: directory', () => {
  test.each([
    ['empty', ''],
    ['a first dot', '.dotted'],
    ['a first slash', '/lab'],
    ['an upper-case letter', 'Lab'],
    ['a space', 'la b'],
    ['a backslash', 'lab\\deep'],
    ['a letter beyond ASCII', 'läb'],
    ['257 characters', 'a'.repeat(257)],
    ['a final line feed', 'lab\n'],
  ])('a directory that is or has %s does not match the pattern', async (_, directory) => {
    expect(await open({ directory })).toMatchObject({ status: 400, code: 'invalid_directory' })
  })

  test.each([
    ['that does not exist', 'nowhere'],
    ['with a final slash', 'lab/'],
    ['with an empty segment', 'lab//deep'],
    ['with a segment of dots', 'lab/..'],
    ['with a segment of 65 characters', 'a'.repeat(65)],
    ['of 256 characters', '-'.repeat(256)],
    ['with nine levels', 'a/a/a/a/a/a/a/a/a'],
    ['in the reserved namespace', 'system'],
  ])('a reference %s matches the pattern and is not found', async (_, directory) => {
    expect(await open({ directory })).toMatchObject({ status: 404, code: 'directory_not_found' })
  })
})

test('a title is returned unchanged', async () => {
  for (const title of ['a\ufeffb', '  x\u3000', '🌙'.repeat(200)]) {
    const { id } = (await open({ title })).json as { id: bigint }
    expect(await rootOf(id)).toMatchObject({ title })
  }
})
