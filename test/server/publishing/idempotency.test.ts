// Idempotent creation (specification: States and transitions, Limits; API.md 3.5, 4.6 and 5).
// Rules: API.md 1.3, 3.5, 4.6, 5.1-5.3.
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { act } from '../../support/operator.ts'
import { CREATES, idsOf, KINDS, OBSERVATION } from '../../support/publish.ts'
import { inFull } from '../../support/runs.ts'
import { clockAt, startTestService } from '../../support/service.ts'

const START = '2026-11-19T08:30:00.000Z'
const DAY_MS = 24 * 60 * 60 * 1000

const clock = clockAt(START)
const service = await startTestService({ TRUST_PROXY: '127.0.0.1' }, clock)
const { publish } = service
await publish.directory('lab')
await publish.investigation('lab')
await publish.investigation('lab')

let count = 0
const newKey = () => `key-${++count}`

const MESSAGES = '/api/v1/messages'
const DIRECTORIES = '/api/v1/directories'
const CONTRIBUTIONS = '/api/v1/investigations/1/contributions'
const RECORDS = KINDS.map((kind) => {
  const [path] = CREATES[kind]()
  return [kind, path, () => CREATES[kind]()[1]] as const
})

const post = (path: string, request: unknown, key: string, headers: Record<string, string> = {}) =>
  service.client.post(path, request, { 'idempotency-key': key, ...headers })
const say = (body: string, key: string, headers: Record<string, string> = {}) =>
  post(MESSAGES, { directory: 'lab', body }, key, headers)

describe('replays', () => {
  test.each(RECORDS)('a replay of a %s answers 200 as the first time', async (_, path, make) => {
    const [request, key] = [make(), newKey()]
    const first = await post(path, request, key)
    expect(first.status).toBe(201)
    clock.pass(60_000)
    const again = await post(path, request, key)
    expect(again.status).toBe(200)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('location')).toBe(first.headers.get('location'))
    expect(again.headers.get('cache-control')).toBe('no-store')
  })

  test.each(RECORDS)('a different %s under the same key answers 409', async (name, path, make) => {
    const key = newKey()
    expect((await post(path, make(), key)).status).toBe(201)
    const other = { ...make(), ...(name === 'directory' ? {} : { author_label: 'someone else' }) }
    expect(await post(path, other, key)).toMatchObject({
      status: 409,
      code: 'idempotency_conflict',
    })
  })

  test('requests are equal if they differ only in order, white space, escapes or defaults', async () => {
    const key = newKey()
    expect((await say('é', key)).status).toBe(201)
    const spellings = [
      '{"body":"é","directory":"lab"}',
      ' {"directory" : "lab",\n"body":"\\u00e9"} ',
      '{"directory":"lab","body":"é","author_label":""}',
    ]
    for (const spelling of spellings) expect((await post(MESSAGES, spelling, key)).status).toBe(200)
    for (const other of ['e\u0301', 'é ', 'É'])
      expect((await say(other, key)).code).toBe('idempotency_conflict')
  })

  test('a key used for one investigation answers 409 for another', async () => {
    const key = newKey()
    expect((await post(CONTRIBUTIONS, OBSERVATION, key)).status).toBe(201)
    const elsewhere = '/api/v1/investigations/2/contributions'
    expect((await post(elsewhere, OBSERVATION, key)).code).toBe('idempotency_conflict')
  })

  test('a replay returns the first response even if the record is hidden', async () => {
    const own = service.publish
    await own.directory('hideout')
    const { id } = await own.investigation('hideout')
    const [path, key] = [`/api/v1/investigations/${id}/contributions`, newKey()]
    const first = await post(path, OBSERVATION, key)
    await act(service, 'hide', 'directory', 'hideout')
    const again = await post(path, OBSERVATION, key)
    expect([again.status, again.text]).toEqual([200, first.text])
    expect((await post(path, OBSERVATION, newKey())).code).toBe('investigation_not_found')
  })

  test('an invalid request under a used key is still rejected', async () => {
    const key = newKey()
    expect((await say('b', key)).status).toBe(201)
    expect((await post(MESSAGES, { directory: 'lab' }, key)).status).toBe(400)
    expect((await say('x'.repeat(16_385), key)).status).toBe(413)
  })

  test('a repeated request without a key creates another record', async () => {
    const first = await publish.message('lab', 'twice')
    expect(await publish.message('lab', 'twice')).toBe(first + 1n)
  })
})

describe('scope of a key', () => {
  test('one key used for four operations creates four records', async () => {
    const key = newKey()
    for (const [, path, make] of RECORDS) expect((await post(path, make(), key)).status).toBe(201)
  })

  test('one key used by two origins creates two records, each with its own replay', async () => {
    const key = newKey()
    const [here, there] = ['192.0.2.1', '192.0.2.2'].map((ip) => ({ 'x-forwarded-for': ip }))
    const first = await say('from here', key, here)
    const second = await say('from there', key, there)
    expect([first.status, second.status]).toEqual([201, 201])
    expect((await say('from here', key, here)).text).toBe(first.text)
    expect((await say('from there', key, there)).text).toBe(second.text)
  })
})

describe('stored responses', () => {
  test('a failure is not stored, so its key succeeds once the cause is gone', async () => {
    const [path, key] = [`later${++count}`, newKey()]
    const request = { directory: path, body: 'b' }
    expect((await post(MESSAGES, request, key)).status).toBe(404)
    await service.publish.directory(path)
    expect((await post(MESSAGES, request, key)).status).toBe(201)
    expect((await post(MESSAGES, request, key)).status).toBe(200)
  })

  test('a success is replayed for 24 hours and no longer', async () => {
    const key = newKey()
    const first = await say('b', key)
    clock.pass(DAY_MS - 1)
    expect((await say('b', key)).text).toBe(first.text)
    clock.pass(1)
    const second = await say('other content', key)
    expect(second.status).toBe(201)
    expect((await say('other content', key)).text).toBe(second.text)
  })

  test('a success is replayed after a restart', async () => {
    const key = newKey()
    const first = await say('b', key)
    await service.restart()
    expect(await say('b', key)).toMatchObject({ status: 200, text: first.text })
  })
})

describe('syntax of Idempotency-Key', () => {
  const identifier = 'ABCXYZabcxyz0189._:-'
  const long = 'k'.repeat(128)

  test.each(RECORDS)('the key of a %s has from 1 to 128 characters', async (_, path, make) => {
    expect((await post(path, make(), `${long.slice(4)}${1000 + ++count}`)).status).toBe(201)
    for (const key of [`${long}k`, ''])
      expect(await post(path, make(), key)).toMatchObject({
        status: 400,
        code: 'invalid_idempotency_key',
      })
  })

  test.each(RECORDS.slice(1))('a %s key has only A-Z a-z 0-9 . _ : -', async (_, path, make) => {
    expect((await post(path, make(), identifier)).status).toBe(201)
    for (const key of ['a b', 'a/b', 'a,b', 'a"b', 'a=b', 'a@b', 'ä', 'a\tb'])
      expect((await post(path, make(), key)).code).toBe('invalid_idempotency_key')
  })

  test('a directory key may have any visible ASCII characters', async () => {
    const make = RECORDS[0]?.[2] as () => object
    for (const key of ['!"#$%&\'()*+,-./', ':;<=>?@[\\]^_`{|}~', identifier])
      expect((await post(DIRECTORIES, make(), key)).status).toBe(201)
    for (const key of ['a b', 'ä', 'a\tb'])
      expect((await post(DIRECTORIES, make(), key)).code).toBe('invalid_idempotency_key')
  })

  test('the key is validated after the request itself', async () => {
    expect((await post(MESSAGES, { directory: 'lab' }, 'a b')).code).toBe('invalid_request')
    expect((await post(MESSAGES, 'no json', 'a b')).code).toBe('invalid_json')
    expect((await post(MESSAGES, { directory: 'nowhere', body: 'b' }, 'a b')).code).toBe(
      'invalid_idempotency_key',
    )
  })
})

/** Opens 500 connections, and then sends a message on all of them at once: few enough for the server's backlog. */
async function fireAtOnce(url: string, key: string) {
  const { hostname, port, host } = new URL(url)
  const sockets = Array.from({ length: 500 }, () => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  const body = JSON.stringify({ directory: 'lab', body: 'b' })
  const head = [
    ...[`POST ${MESSAGES} HTTP/1.1`, `Host: ${host}`, 'Connection: close'],
    ...['Content-Type: application/json', `Content-Length: ${body.length}`],
    `Idempotency-Key: ${key}`,
  ]
  for (const socket of sockets) socket.write([...head, '', body].join('\r\n'))
  const answers = await Promise.all(sockets.map((socket) => text(socket)))
  return answers.map((answer) => ({
    status: Number(answer.split(' ', 2)[1]),
    location: /^location: .*$/im.exec(answer)?.[0],
    body: answer.split('\r\n\r\n')[1],
  }))
}

inFull(
  'a thousand identical messages at two servers create one record, and none after a restart',
  async () => {
    const crowded = await startTestService()
    const other = await startTestService({ DATA_DIR: crowded.dataDir })
    await crowded.publish.directory('lab')
    const fire = async (key: string) =>
      (await Promise.all([crowded, other].map(({ url }) => fireAtOnce(url, key)))).flat()
    for (const key of ['first', 'second', 'third']) {
      const answers = await fire(key)
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(999)
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
      expect(new Set(answers.map(({ location }) => location)).size).toBe(1)
    }
    await crowded.restart()
    const answers = await fire('third')
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(idsOf(await crowded.client.get(MESSAGES))).toEqual([1n, 2n, 3n])
    expect([crowded, other].flatMap(({ complaints }) => complaints)).toEqual([])
  },
)
