// Reading investigations (specification: Summary, Entry, Root, ListResponse, DetailResponse, Endpoints; API.md 2 and 7.1).
// Rules: API.md 1.1, 2.1, 2.4, 7.1, 7.7.
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { act, operated } from '../../support/operator.ts'
import { idsOf, type Opened } from '../../support/publish.ts'
import { startTestService, type TestService } from '../../support/service.ts'

const MAX = '9223372036854775807'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

let service: TestService
/** Five questions. The third has seven contributions, with plain messages in between. */
let questions: Opened[]
let entries: bigint[]

beforeAll(async () => {
  service = await startTestService()
  await service.publish.directory('lab')
  questions = []
  for (const n of [1, 2, 3, 4, 5])
    questions.push(
      await service.publish.investigation('lab', {
        title: `<b>Question ${n}</b>`,
        body: `body & ${n}`,
        author_label: 'asker',
        sources: [{ url: 'https://a.example/?a=1&b="', note: '<i>note</i>' }],
      }),
    )
  entries = []
  const links = [{ message_id: third().root, relation: 'reuses' }]
  for (const kind of ['observation', 'attempt', 'result', 'reuse', 'result', 'attempt', 'result']) {
    entries.push(await service.publish.contribution(third().id, { kind, body: `<${kind}>`, links }))
    await service.publish.message('lab')
  }
})

const third = () => questions[2] as Opened
const LIST_PATHS = ['/api/v1/investigations', '/investigations'] as const
const detailPaths = () => [
  `/api/v1/investigations/${third().id}`,
  `/investigations/${third().id}`,
  `/investigations/${third().id}.json`,
]
/** Reads JSON, also where the path offers HTML. */
const read = (path: string) => service.client.get(path, { accept: 'application/json' })

describe('ListResponse', () => {
  test.each(LIST_PATHS)('%s lists what an investigation asks', async (path) => {
    const question = { title: '<b>Question 1</b>', directory: 'lab', author_label: 'asker' }
    const { json } = await read(`${path}?limit=1`)
    expect(json).toMatchObject({ items: [{ id: 1n, ...question, url: '/investigations/1' }] })
  })
})

describe('DetailResponse', () => {
  test('all three paths have the question and its entries', async () => {
    const { id, root } = third()
    const asked = { kind: 'question', title: '<b>Question 3</b>', author_label: 'asker', links: [] }
    const said = { kind: 'reuse', author_label: '', sources: [], review: null }
    for (const path of detailPaths()) {
      const { investigation, entries: shown } = (await read(path)).json as {
        investigation: object
        entries: object[]
      }
      expect(investigation).toMatchObject({
        ...{ message_id: root, investigation_id: id, url: `/messages/${root}`, ...asked },
        ...{ body: 'body & 3', body_hash: sha256('body & 3'), review: null },
        sources: [{ url: 'https://a.example/?a=1&b="', note: '<i>note</i>' }],
      })
      expect(shown[3]).toMatchObject({
        ...{
          message_id: entries[3],
          investigation_id: id,
          url: `/messages/${entries[3]}`,
          ...said,
        },
        ...{ body: '<reuse>', body_hash: sha256('<reuse>') },
        links: [{ message_id: root, relation: 'reuses' }],
      })
    }
  })

  test('an empty page returns its cursor as next_after', async () => {
    const empty = (path: string) => read(path).then((reply) => [idsOf(reply), reply.json])
    const page = (next: bigint) => expect.objectContaining({ next_after: next, has_more: false })
    expect(await empty(`/investigations/1.json`)).toEqual([[], page(0n)])
    expect(await empty(`${detailPaths()[2]}?after=${MAX}`)).toEqual([[], page(BigInt(MAX))])
  })
})

describe('pages', () => {
  const shown = (text: string) =>
    [...text.matchAll(/<h3><a href="\/investigations\/(\d+)"/g)].map(([, id]) => Number(id))

  test('the list page begins with the newest activity, and its next page continues with older activity', async () => {
    const first = (await service.client.get('/investigations?limit=2')).text
    // Of these two, the one without a result is in the first section.
    expect(shown(first)).toEqual([5, 3])
    expect(first).toContain('1 observation')
    expect(first).toContain('3 results')
    const next = first.match(/href="([^"]*)" rel="next"/)?.[1] ?? ''
    expect(next).toBe(`/investigations?before=${questions[4]?.root}`)
    expect(shown((await service.client.get(next)).text)).toEqual([4, 2, 1])
  })

  test('the list page can be filtered to investigations with a result or without a review', async () => {
    const list = async (query: string) => shown((await service.client.get(query)).text)
    expect(await list('/investigations?with=result')).toEqual([3])
    expect(await list('/investigations?without=review')).toEqual([5, 4, 2, 1, 3])
    const review = ['review', String(questions[3]?.root), '--outcome', 'withdrawn', '--reason', 'r']
    await operated(service, ...review)
    expect(await list('/investigations?without=review')).toEqual([5, 2, 1, 3])
    expect(await list('/investigations?with=result&without=review')).toEqual([3])
    await act(service, 'hide', 'investigation', '3')
    expect(await list('/investigations')).toEqual([5, 4, 2, 1])
    expect(await list('/investigations?with=result')).toEqual([])
    await act(service, 'show', 'investigation', '3')
    expect(await list('/investigations?with=result')).toEqual([3])
  })

  test.each(['with=nothing', 'with=', 'without=result', 'with=result&with=result'])(
    'the list page rejects the unknown filter %s',
    async (query) => {
      const answer = await service.client.get(`/investigations?${query}`)
      expect(answer.status).toBe(400)
      expect(answer.text).toMatch(/<code>with(out)?<.code> <bdi>must be /)
    },
  )

  test('the list page rejects `after` together with a filter or `before`', async () => {
    for (const query of ['with=result', 'without=review', 'before=9']) {
      const answer = await service.client.get(`/investigations?after=0&${query}`)
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('must not be combined with before, with or without')
    }
  })
})
