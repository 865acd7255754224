// Opening an investigation (specification: CreateRequest, CreateResponse; API.md 1 and 7).
// Rules: API.md 1.6-1.7, 4.4, 7.5.
import { describe, expect, test } from 'vitest'
import { QUESTION } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const PATH = '/api/v1/investigations'

const service = await startTestService()
for (const path of ['lab', 'lab/deep', '.dotted'])
  await service.client.post('/api/v1/directories', { path })

const open = (changes: object = {}) =>
  service.client.post(PATH, { directory: 'lab', ...QUESTION, ...changes })

const rootOf = async (id: bigint) => {
  const { json } = await service.client.get(`${PATH}/${id}`)
  return (json as { investigation: Record<string, unknown> }).investigation
}

describe('CreateResponse', () => {
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
