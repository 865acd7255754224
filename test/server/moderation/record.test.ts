// The public record of moderation: every action, its reason, and nothing of what was taken down.
// Rules: API.md 8.4.
import { describe, expect, test } from 'vitest'
import { act, operated } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'
import { parseHtml } from '../pages/html.ts'

const service = await startTestService({ OPERATOR_CONTACT: 'keeper@example.org' })
const { publish } = service
await publish.directory('lab')
await publish.directory('lab/an-unwanted-path')

interface Listed {
  id: bigint
  action: string
  target_kind: string
  target: bigint | string | null
  ranges: [bigint, bigint][] | null
  reason: string | null
}

const list = async (query = '?limit=100') =>
  (await service.client.get(`/api/v1/moderation${query}`)).json as {
    actions: Listed[]
    next_cursor: bigint
  }
const newest = async () => (await list()).actions.at(-1)
const reasonsIn = (text: string) =>
  [...text.matchAll(/<td colspan="3">\s*<div class="body" dir="auto">([^<]*)</g)].map(
    ([, reason]) => reason,
  )
const page = async (query = '') => (await service.client.get(`/moderation${query}`)).text

describe('the record of moderation', () => {
  test('an action states what it was done to, and why', async () => {
    const target = await publish.message('lab')
    await act(service, 'hide', 'message', target)
    const done = { action: 'hide', target_kind: 'message', target, ranges: null, reason: 'a test' }
    expect(await newest()).toMatchObject(done)
  })

  test('an action on a directory does not name its path, on the page neither', async () => {
    await publish.message('lab/an-unwanted-path')
    await act(service, 'hide', 'directory', 'lab/an-unwanted-path')
    expect(await newest()).toMatchObject({ target_kind: 'directory', target: null })
    expect(await page()).not.toContain('an-unwanted-path')
  })

  test('switches and reviews are in the record', async () => {
    await operated(service, 'mode', 'read-only', '--reason', 'a pause')
    await operated(service, 'mode', 'open', '--reason', 'on again')
    await operated(service, 'feature', 'messages', 'off', '--reason', 'spam')
    await operated(service, 'feature', 'messages', 'on', '--reason', 'over')
    const { root } = await publish.investigation('lab')
    const outcome = ['--outcome', 'unsupported', '--reason', 'not seen']
    await operated(service, 'review', String(root), ...outcome)
    const { actions } = await list()
    expect(actions.slice(-5).map(({ action, target, reason }) => [action, target, reason])).toEqual(
      [
        ['mode', 'read-only', 'a pause'],
        ['mode', 'open', 'on again'],
        ['feature', 'messages off', 'spam'],
        ['feature', 'messages on', 'over'],
        ['review', root, 'not seen'],
      ],
    )
  })

  test('an action is listed by every server at once', async () => {
    const etag = (await service.client.get('/api/v1/moderation')).headers.get('etag') ?? ''
    expect((await service.client.get('/api/v1/moderation', { 'if-none-match': etag })).status).toBe(
      304,
    )
    const other = await startTestService({ DATA_DIR: service.dataDir })
    await act(service, 'hide', 'message', await publish.message('lab'))
    const { actions } = (await other.client.get('/api/v1/moderation?limit=100')).json as {
      actions: Listed[]
    }
    expect(actions.at(-1)).toEqual(await newest())
    const again = await service.client.get('/api/v1/moderation', { 'if-none-match': etag })
    expect(again.status).toBe(200)
  })
})

describe('the page of the record', () => {
  test('it states how to reach the operator, or without OPERATOR_CONTACT that no address is given', async () => {
    expect(await page()).toContain('href="mailto:keeper@example.org"')
    const silent = await startTestService()
    expect((await silent.client.get('/moderation')).text).toContain('has given no address')
  })

  test('it links to what an action concerns only while that can be read', async () => {
    const id = await publish.message('lab')
    const link = `href="/messages/${id}"`
    await act(service, 'hide', 'message', id)
    expect(await page()).not.toContain(link)
    await act(service, 'show', 'message', id)
    expect(await page()).toContain(link)
  })

  test('the page of a vanished message leads to the action that hid it, its investigation or its directory', async () => {
    const plain = await publish.message('lab')
    const { id, root } = await publish.investigation('lab')
    await publish.directory('pond')
    const below = await publish.message('pond')
    const why = (what: string) => ['--reason', `because of the ${what}`]
    await operated(service, 'hide', 'message', String(plain), ...why('message'))
    await operated(service, 'hide', 'investigation', String(id), ...why('investigation'))
    await operated(service, 'hide', 'directory', 'pond', ...why('directory'))
    for (const [message, what] of [
      [plain, 'message'],
      [root, 'investigation'],
      [below, 'directory'],
    ] as const) {
      const gone = await service.client.get(`/messages/${message}`)
      expect(gone.status).toBe(404)
      const [, query] = /href="\/moderation(\?message=[0-9]+)"/.exec(gone.text) ?? []
      const text = await page(query)
      expect(text).toContain(`because of the ${what}`)
      expect([...text.matchAll(/because of the/g)]).toHaveLength(1)
    }
  })

  test('the page of a vanished investigation leads to the actions on it, its question and its directory', async () => {
    await publish.directory('shore')
    const { id, root } = await publish.investigation('shore')
    const review = ['--outcome', 'unsupported', '--reason', 'a review of it']
    await operated(service, 'review', String(root), ...review)
    await operated(service, 'hide', 'investigation', String(id), '--reason', 'why it vanished')
    await operated(service, 'hide', 'message', String(root), '--reason', 'why its question did')
    await operated(service, 'hide', 'directory', 'shore', '--reason', 'why its directory did')
    const gone = await service.client.get(`/investigations/${id}`)
    expect(gone.status).toBe(404)
    expect(gone.text).toContain(`href="/moderation?investigation=${id}"`)
    const text = await page(`?investigation=${id}`)
    expect(reasonsIn(text)).toEqual([
      'why its directory did',
      'why its question did',
      'why it vanished',
    ])
    expect(reasonsIn(await page(`?investigation=${id + 1n}`))).toEqual([])
  })

  test('the page of a vanished directory leads to the actions on it and on those above it', async () => {
    for (const path of ['hill', 'hill/top', 'hill/top/cairn', 'hill/foot'])
      await publish.directory(path)
    for (const path of ['hill/foot', 'hill/top', 'hill'])
      await operated(service, 'hide', 'directory', path, '--reason', `because of ${path}`)
    const gone = await service.client.get('/d/hill/top/cairn')
    expect(gone.status).toBe(404)
    const [, query = ''] = /href="\/moderation(\?directory=[^"]+)"/.exec(gone.text) ?? []
    expect(query).toBe('?directory=hill%2Ftop%2Fcairn')
    expect(reasonsIn(await page(query))).toEqual(['because of hill', 'because of hill/top'])
    const first = await page(`${query}&limit=1`)
    const [, next = ''] = /href="\/moderation(\?before=[^"]+)" rel="next"/.exec(first) ?? []
    expect(reasonsIn(await page(next.replaceAll('&amp;', '&')))).toEqual(['because of hill/top'])
  })

  test.each([
    ['?message=x', 'message: must be'],
    ['?investigation=0', 'investigation: must be'],
    ['?directory=a//b', 'directory: must be'],
    ['?directory=a&directory=b', 'directory: must be given once'],
    ['?message=1&directory=a', 'message: must not be combined with directory'],
  ])('the filter %s is rejected', async (query, rule) => {
    const { status, text } = await service.client.get(`/moderation${query}`)
    expect(status).toBe(400)
    expect(parseHtml(text).text).toContain(rule.replace(/^([a-z]+): /, '$1 '))
  })

  test('the page of a contribution that vanished with its question leads to the action on the question', async () => {
    const { id, root } = await publish.investigation('lab', { body: 'a question of spam' })
    const inside = await publish.contribution(id)
    const concerning = () => page(`?message=${inside}`)
    const review = ['--outcome', 'unsupported', '--reason', 'a review of the question']
    await operated(service, 'review', String(root), ...review)
    await operated(service, 'hide', 'message', String(root), '--reason', 'the question alone')
    expect((await service.client.get(`/messages/${inside}`)).status).toBe(404)
    expect(await concerning()).toContain('the question alone')
    expect(await concerning()).not.toContain('a review of the question')
    await act(service, 'show', 'message', root)
    const many = ['--containing', 'a question of spam', '--reason', 'many questions']
    await operated(service, 'hide', 'messages', ...many)
    expect((await service.client.get(`/messages/${inside}`)).status).toBe(404)
    expect(await concerning()).toContain('many questions')
  })

  test('messages, reviews, the guide and every footer link to it', async () => {
    const id = await publish.message('lab')
    for (const [path, href] of [
      [`/messages/${id}`, `/moderation?message=${id}`],
      ['/continuity', '/moderation'],
      ['/guide', '/moderation'],
      ['/', '/moderation'],
    ])
      expect((await service.client.get(path as string)).text).toContain(`href="${href}"`)
    expect((await service.client.get('/llms.txt')).text).toContain('/api/v1/moderation')
  })
})
