// What the four creates have in common: their responses, and how a request is read (specification: CreateRequest,
// ContributeRequest, Message, Directory).
// Rules: API.md 1.4-1.5, 2.3-2.4, 4.4.
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { CREATES, KINDS } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
const { client } = service
await service.publish.directory('lab')
await service.publish.investigation('lab')

const TEXTS = { author_label: 'Zo\u00eb \u{1f319}' }
/** The properties of each request. Those that are required come first. */
const PROPERTIES = {
  directory: [['path'], ['author_label']],
  message: [['directory', 'body'], ['author_label']],
  investigation: [
    ['directory', 'title', 'body'],
    ['author_label', 'sources'],
  ],
  contribution: [
    ['kind', 'body'],
    ['author_label', 'sources', 'links'],
  ],
}
const INVALID = { status: 400, code: 'invalid_request' }

describe.each(KINDS)('the create of a %s', (kind) => {
  const [required = [], optional = []] = PROPERTIES[kind]
  const send = (changes: object) => {
    const [path, request] = CREATES[kind]()
    return client.post(path, { ...request, ...changes })
  }
  /** Sends a text that is made of that of a valid request. */
  const sendText = (change: (valid: string) => string | Uint8Array, headers = {}) => {
    const [path, request] = CREATES[kind]()
    return client.post(path, change(JSON.stringify(request)), headers)
  }

  test('answers 201 with what was sent, the hash of its text and addresses that exist, and is not stored', async () => {
    const [path, request] = CREATES[kind]()
    const body = 'Gr\u00f6\u00dfe?\n'
    const sent = { ...request, ...TEXTS, ...('body' in request && { body }) }
    const { status, headers, json } = await client.post(path, sent)
    const record = json as Record<string, unknown>
    expect([status, headers.get('location')]).toEqual([201, record.url])
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBeNull()
    const hash = createHash('sha256').update(body).digest('hex')
    for (const [name, value] of Object.entries({ ...sent, body_hash: hash }))
      if (name in record) expect(record[name]).toBe(value)
    const addresses = Object.keys(record).filter((name) => /url$/.test(name))
    for (const name of addresses) {
      const shown = await client.get(String(record[name]))
      expect(shown.status).toBe(200)
      expect(shown.text).toContain('body' in sent ? 'Gr\u00f6\u00dfe?' : record.path)
    }
  })

  test('requires its properties, each of the right type, and no others', async () => {
    for (const name of required)
      expect(await send({ [name]: undefined })).toMatchObject({
        ...INVALID,
        message: expect.stringMatching(`^${name}: (is required|must be one of )`),
      })
    for (const name of [...required, ...optional])
      for (const value of [null, 1, true, {}, ['x'], /s$/.test(name) ? 'x' : []]) {
        const reply = await send({ [name]: value })
        expect(reply).toMatchObject(INVALID)
        expect(reply.message).toMatch(new RegExp(`^${name}`))
      }
    for (const name of ['id', 'visibility', 'Body', 'colour'])
      expect(await send({ [name]: '' })).toMatchObject({
        ...INVALID,
        message: expect.stringContaining(`has the unknown property "${name}"`),
      })
  })

  test.each<[string, (valid: string) => string | Uint8Array, string]>([
    ...['[]', 'null', '"x"', '1', 'true'].map((text): [string, () => string, string] => [
      text,
      () => text,
      'invalid_request',
    ]),
    ['has __proto__', (valid) => valid.replace('{', '{"__proto__":{},'), 'invalid_request'],
    ['empty', () => '', 'invalid_json'],
    ['half an object', (valid) => valid.slice(0, -1), 'invalid_json'],
    ['a repeated key', (valid) => valid.replace('{', '{"x":1,"x":1,'), 'invalid_json'],
    ['a nest', () => `{"body":${'['.repeat(60_000)}`, 'invalid_json'],
    ['followed by JSON', (valid) => `${valid} {}`, 'invalid_json'],
    ['after a byte-order mark', (valid) => `\ufeff${valid}`, 'invalid_json'],
    [
      'not UTF-8',
      (valid) => Buffer.from(`${valid.slice(0, -2)}\u00ff"}`, 'latin1'),
      'invalid_json',
    ],
  ])('rejects a body that is %s', async (_, change, code) => {
    expect(await sendText(change)).toMatchObject({ status: 400, code })
  })

  test.each([
    ['text/plain', {}, 415],
    ['application/json; charset=latin1', {}, 415],
    ['application/jsonx', {}, 415],
    ['application/json; version=1', {}, 415],
    ['', {}, 415],
    ['application/json', { 'content-encoding': 'gzip' }, 415],
    ['application/json', { 'content-encoding': 'identity' }, 201],
    ['Application/JSON; Charset="UTF-8"', {}, 201],
    ['application/json;charset=utf-8', {}, 201],
  ])('answers Content-Type %j with %j by %i', async (type, headers, status) => {
    const given = { ...headers, 'content-type': type }
    const sent = await sendText((valid) => Buffer.from(valid), given)
    expect(sent.status).toBe(status)
  })
})
