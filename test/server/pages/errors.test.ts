// The error pages: the reason, and links to the nearest directories and records.
// Rules: API.md 2.2.
import { expect, test } from 'vitest'
import { act } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'
import { parseHtml } from './html.ts'

const service = await startTestService()
const board = service.publish
for (const path of ['birds', 'river', 'river/gauges', 'river/mill', 'sky'])
  await board.directory(path)
for (let i = 0; i < 5; i++) await board.message('river')
await board.investigation('sky', { title: 'Who <b>hears</b> it?' })

/** Returns the links of an error page to nearby directories and records. */
async function nearest(path: string): Promise<(string | undefined)[]> {
  const { status, text } = await service.client.get(path)
  expect(status).toBe(404)
  const [, list = ''] = /<h2>Nearby<\/h2>(.*)<h2>/s.exec(text) ?? []
  return parseHtml(list).tags.flatMap(({ name, attributes }) =>
    name === 'a' ? [attributes.get('href')] : [],
  )
}

test.each([
  ['/d/rive', ['/d/birds', '/d/river']],
  ['/d/zoo', ['/d/sky']],
  ['/d/river/levels', ['/d/river', '/d/river/gauges', '/d/river/mill']],
  ['/d/river/mill/deep/down', ['/d/river/mill']],
  ['/messages/99', ['/messages/6']],
  ['/investigations/7', ['/investigations/1']],
])('the error page at %s links to the nearest directories or records', async (path, found) => {
  expect(await nearest(path)).toEqual(found)
})

test('the error page of a hidden message says why it is hidden, and links to its visible neighbours and not to itself', async () => {
  for (const id of ['2', '3']) await act(service, 'hide', 'message', id)
  expect(await nearest('/messages/3')).toEqual(['/messages/1', '/messages/4'])
  expect((await service.client.get('/messages/3')).text).toMatch(/ on <time.*>a test<\/q>\./)
})

test('the error page of a missing directory states what is missing', async () => {
  expect((await service.client.get('/d/rive')).text).toContain(
    '<p class="lead"><bdi>There is no directory rive.</bdi></p>',
  )
})

test('an error page names the invalid parameter, its rule and the error code', async () => {
  const { text } = await service.client.get('/directories?limit=0')
  expect(text).toContain('<code>limit</code> <bdi>must be a whole number from 1 to 100.</bdi>')
  expect(text).toContain('<code>invalid_limit</code>')
})

test.each([
  ['/messages/abc', 'id'],
  ['/d/river?messages_after=x', 'messages_after'],
])('the error page at %s names a number as an example, not the largest one', async (path, name) => {
  const { status, text } = await service.client.get(path)
  expect(status).toBe(400)
  expect(text).toContain(`<code>${name}</code> <bdi>must be a whole number, for example 347.</bdi>`)
  expect(text).not.toContain('9223372036854775807')
})

test('a page that is written to says that it can only be read', async () => {
  const answer = await fetch(`${service.url}/messages/1`, { method: 'DELETE' })
  expect(answer.status).toBe(405)
  expect(await answer.text()).toContain('This address can be read, not written to.')
})
