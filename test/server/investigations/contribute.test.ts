// Contributing to an investigation (specification: ContributeRequest, Link, Conditional rules, ContributeResponse).
// Rules: API.md 1.2, 4.4, 7.2, 7.6.
import { describe, expect, test } from 'vitest'
import { OBSERVATION } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
const { publish } = service
await publish.directory('lab')
await publish.directory('elsewhere')
const question = await publish.investigation('lab')
const plain = await publish.message('elsewhere')

const pathOf = (id: bigint | string) => `/api/v1/investigations/${id}/contributions`
const contribute = (changes: object = {}) =>
  service.client.post(pathOf(question.id), { ...OBSERVATION, ...changes })

async function entryOf(messageId: bigint): Promise<Record<string, unknown> | undefined> {
  const { json } = await service.client.get(`/api/v1/investigations/${question.id}?limit=100`)
  return (json as { entries: { message_id: bigint }[] }).entries.find(
    (entry) => entry.message_id === messageId,
  )
}

describe('ContributeRequest', () => {
  test.each(['observation', 'attempt', 'result'])('the kind %s needs no link', async (kind) => {
    const reply = await contribute({ kind })
    expect(reply.status).toBe(201)
    const { message_id: id } = reply.json as { message_id: bigint }
    expect(await entryOf(id)).toMatchObject({ kind, sources: [], links: [], author_label: '' })
  })

  test.each<[field: string, what: string, value: unknown]>([
    ['kind', 'that of a question', 'question'],
    ['kind', 'in upper case', 'Observation'],
    ['kind', 'that is empty', ''],
    ['sources', 'that are nine', Array(9).fill({ url: 'http://a.example' })],
  ])('%s %s: rejected', async (field, _, value) => {
    const reply = await contribute({ [field]: value })
    expect(reply).toMatchObject({ status: 400, code: 'invalid_request' })
    expect(reply.message).toMatch(new RegExp(`^${field}`))
  })

  test('sources and links are returned as sent, with notes filled in', async () => {
    const sources = [{ url: 'https://a.example/x' }, { url: 'http://b.example', note: 'n\n' }]
    const links = [
      { message_id: question.root, relation: 'extends' },
      { message_id: plain, relation: 'supports' },
    ]
    const reply = await contribute({ sources, links })
    const { message_id: id } = reply.json as { message_id: bigint }
    expect(await entryOf(id)).toMatchObject({
      sources: [{ url: 'https://a.example/x', note: '' }, sources[1]],
      links,
    })
  })

  test('sources and links may have 8192 bytes together, and 8193 answer 413', async () => {
    const links = Array.from({ length: 4 }, (_, i) => ({
      message_id: question.root,
      relation: ['extends', 'supports', 'corrects', 'reuses'][i],
    }))
    const linkBytes = JSON.stringify(
      links.map((link) => ({ ...link, message_id: Number(link.message_id) })),
    ).length
    const sourcesOf = (length: number) => [
      ...Array.from({ length: 4 }, () => ({
        url: `https://a.example/${'x'.repeat(1500)}`,
        note: '',
      })),
      { url: `https://a.example/${'x'.repeat(length)}`, note: '' },
    ]
    const room = 8192 - linkBytes - JSON.stringify(sourcesOf(0)).length
    expect(await contribute({ links, sources: sourcesOf(room) })).toMatchObject({ status: 201 })
    expect(await contribute({ links, sources: sourcesOf(room + 1) })).toMatchObject({
      status: 413,
      code: 'metadata_too_large',
    })
  })
})

describe('conditional rules', () => {
  const linked = (relation: string) => [{ message_id: question.root, relation }]

  test.each([
    ['correction', 'corrects'],
    ['reuse', 'reuses'],
  ])('a %s needs a link with relation %s', async (kind, relation) => {
    const others = ['extends', 'supports', 'corrects', 'reuses'].filter((name) => name !== relation)
    for (const links of [undefined, [], others.flatMap(linked)]) {
      const reply = await contribute({ kind, links })
      expect(reply).toMatchObject({ status: 400, code: 'invalid_request' })
      expect(reply.message).toBe(
        `links: must contain a link with relation ${relation}, since kind is ${kind}`,
      )
    }
    expect(await contribute({ kind, links: linked(relation) })).toMatchObject({ status: 201 })
    const among = [...linked('extends'), ...linked(relation)]
    expect(await contribute({ kind, links: among })).toMatchObject({ status: 201 })
  })
})

describe('Link', () => {
  const RELATIONS = ['extends', 'supports', 'corrects', 'reuses']

  test.each([
    ['an unknown relation', { message_id: 1n, relation: 'contradicts' }],
    ['no relation', { message_id: 1n }],
    ['no message_id', { relation: 'extends' }],
    ['another property', { message_id: 1n, relation: 'extends', note: '' }],
    ['null', null],
  ])('a link that is or has %s is rejected', async (_, link) => {
    expect(await contribute({ links: [link] })).toMatchObject({
      status: 400,
      code: 'invalid_request',
    })
  })

  test.each(['1.0', '1e0', '"1"', '-1', '0', 'true', 'null', '01', '9223372036854775808', '1.5'])(
    'the message_id %s is rejected because it is not a strict integer from 1 to 2^63-1',
    async (token) => {
      const request = `{"kind":"result","body":"b","links":[{"message_id":${token},"relation":"extends"}]}`
      const reply = await service.client.post(pathOf(question.id), request)
      expect(reply.status).toBe(400)
      expect(reply.code).toBe(token === '01' ? 'invalid_json' : 'invalid_request')
    },
  )

  test('the largest int64 id is parsed without losing a digit', async () => {
    const links = [{ message_id: 9223372036854775807n, relation: 'extends' }]
    expect(await contribute({ links })).toMatchObject({
      status: 404,
      code: 'link_not_found',
      message: 'links[0].message_id: there is no message 9223372036854775807',
    })
  })

  test('8 links are accepted, 9 are rejected', async () => {
    const ids = [question.root, plain, await publish.message('lab')]
    const links = ids.flatMap((message_id) =>
      RELATIONS.map((relation) => ({ message_id, relation })),
    )
    expect(await contribute({ links: links.slice(0, 8) })).toMatchObject({ status: 201 })
    expect(await contribute({ links: links.slice(0, 9) })).toMatchObject({ status: 400 })
  })

  test('duplicate links are rejected, but one message may be linked with two relations', async () => {
    const one = { message_id: plain, relation: 'extends' }
    const other = { message_id: plain, relation: 'supports' }
    expect(await contribute({ links: [one, other] })).toMatchObject({ status: 201 })
    expect(await contribute({ links: [one, other, { ...one }] })).toMatchObject({
      status: 400,
      message: 'links: must all be distinct',
    })
  })

  test('a target may be a plain message or an entry of any directory or investigation', async () => {
    const other = await publish.investigation('elsewhere')
    const entry = await publish.contribution(other.id)
    const links = [plain, other.root, entry].map((message_id) => ({
      message_id,
      relation: 'extends',
    }))
    expect(await contribute({ links })).toMatchObject({ status: 201 })
  })

  test('a missing link target is named, and nothing is written', async () => {
    const before = await service.client.get(`/api/v1/investigations/${question.id}?limit=100`)
    const links = [
      { message_id: plain, relation: 'extends' },
      { message_id: 999_999n, relation: 'extends' },
    ]
    expect(await contribute({ links })).toMatchObject({
      status: 404,
      code: 'link_not_found',
      message: 'links[1].message_id: there is no message 999999',
    })
    const after = await service.client.get(`/api/v1/investigations/${question.id}?limit=100`)
    expect(after.json).toEqual(before.json)
  })
})

describe('the investigation in the path', () => {
  test.each(['0', '01', '-1', '1.0', 'x', '9223372036854775808', '%20'])(
    'the investigation id %s is rejected',
    async (id) => {
      expect(await service.client.post(pathOf(id), OBSERVATION)).toMatchObject({
        status: 400,
        code: 'invalid_request',
      })
    },
  )

  test('a missing investigation is reported after an invalid request, and before a missing link target', async () => {
    const links = [{ message_id: 999_999n, relation: 'extends' }]
    expect(await service.client.post(pathOf(999n), { ...OBSERVATION, links })).toMatchObject({
      status: 404,
      code: 'investigation_not_found',
    })
    expect(await service.client.post(pathOf(999n), { kind: 'x' })).toMatchObject({ status: 400 })
  })
})
