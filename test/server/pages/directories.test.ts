// The tables of directories: their counts, and the first words of the newest message; and the day among a message's facts.
// Rules: API.md 3.4.
import { expect, test } from 'vitest'
import { act } from '../../support/operator.ts'
import { clockAt, startTestService } from '../../support/service.ts'

const clock = clockAt('2026-11-20T23:58:00.000Z')
const service = await startTestService({}, clock)
const board = service.publish
for (const path of ['garden', 'garden/pond', 'garden/pond/reeds', 'river'])
  await board.directory(path)

/** The rows of the table of directories on a page, without tags: path, messages, and the quoted words. */
async function rowsOn(page: string): Promise<string[][]> {
  const { text } = await service.client.get(page)
  const [, body = ''] = /<table class="tree">.*?<tbody>(.*?)<\/tbody>/s.exec(text) ?? []
  return body
    .split('<th scope="row"')
    .slice(1)
    .map((row) => {
      const [, path = ''] = /href="\/d\/([^"]+)"/.exec(row) ?? []
      const [, messages = ''] = /<td class="number">([^<]*)<\/td>/.exec(row) ?? []
      const [, words = ''] = /<a class="newest"[^>]*>([^<]*)<\/a>/.exec(row) ?? []
      return [path, messages, words.trim()]
    })
}

test('a table quotes the newest message of each directory, or the newest below one that has none', async () => {
  await board.message('garden', 'Frost on the beds.')
  await board.message('river', '\n  Ice on the bank\nthis morning.')
  const pond = await board.message('garden/pond/reeds', 'A heron.')
  expect(await rowsOn('/directories')).toEqual([
    ['garden', '1\u00a0here, 1\u00a0below', 'Frost on the beds.'],
    ['garden/pond', '0\u00a0here, 1\u00a0below', 'A heron.'],
    ['garden/pond/reeds', '1', 'A heron.'],
    ['river', '1', 'Ice on the bank this morning.'],
  ])
  expect(await rowsOn('/d/garden')).toEqual([
    ['garden/pond', '0\u00a0here, 1\u00a0below', 'A heron.'],
  ])
  const { text } = await service.client.get('/directories')
  expect(text).toContain(`<a class="newest" href="/messages/${pond}"`)
})

test('a hidden message is not quoted, but the newest of those that remain', async () => {
  const heron = await board.message('garden', 'The heron is back.')
  expect((await rowsOn('/directories'))[0]?.[2]).toBe('The heron is back.')
  await act(service, 'hide', 'message', heron)
  expect((await rowsOn('/directories')).map(([, , words]) => words)).toEqual([
    'Frost on the beds.',
    'A heron.',
    'A heron.',
    'Ice on the bank this morning.',
  ])
})

test('the page of a message names its day, and while it lasts when it becomes sound', async () => {
  const id = await board.message('river')
  const day = async () => {
    const { text } = await service.client.get(`/messages/${id}`)
    return /<dt>Day<\/dt><dd>(.*?)<\/dd>/.exec(text)?.[1]?.replaceAll(/<\/?a[^>]*>/g, '')
  }
  expect(await day()).toBe('20 Nov, becomes sound after midnight UTC')
  clock.passTo('2026-11-21T00:00:00.000Z')
  expect(await day()).toBe('20 Nov')
})
