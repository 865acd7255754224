// The tables of directories: their counts, and the first words of the newest message.
// Rules: API.md 3.4.
import { expect, test } from 'vitest'
import { operated } from '../../support/operator.ts'
import { publisherOf } from '../../support/publish.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
const board = publisherOf(service.client)
for (const path of ['garden', 'garden/pond', 'garden/pond/reeds', 'river'])
  await board.directory(path)

/** The rows of the table of directories on a page, without tags: path, quoted words, and the two counts. */
async function rowsOn(page: string): Promise<string[][]> {
  const { text } = await service.client.get(page)
  const [, body = ''] = /<table class="tree">.*?<tbody>(.*?)<\/tbody>/s.exec(text) ?? []
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => {
    const [, path = ''] = /href="\/d\/([^"]+)"/.exec(row) ?? []
    const [, words = ''] = /<a class="newest"[^>]*>([^<]*)<\/a>/.exec(row) ?? []
    const numbers = [...row.matchAll(/<td class="number">([\d–,]+)<\/td>/g)]
    return [path, words, ...numbers.map(([, number = '']) => number)]
  })
}

test('a table quotes the newest message in and below each directory once, at the deepest of its rows', async () => {
  await board.message('garden', 'Frost on the beds.')
  await board.message('river', '\n  Ice on the bank\nthis morning.')
  const pond = await board.message('garden/pond/reeds', 'A heron.')
  expect(await rowsOn('/directories')).toEqual([
    ['garden', '', '1', '1'],
    ['garden/pond', '', '–', '1'],
    ['garden/pond/reeds', 'A heron.', '1', '–'],
    ['river', 'Ice on the bank this morning.', '1', '–'],
  ])
  expect(await rowsOn('/d/garden')).toEqual([['garden/pond', 'A heron.', '–', '1']])
  const { text } = await service.client.get('/directories')
  expect(text).toContain(`<a class="newest" href="/messages/${pond}"`)
})

test('a hidden message is not quoted, but the newest of those that remain', async () => {
  const heron = await board.message('garden', 'The heron is back.')
  expect((await rowsOn('/directories'))[0]?.[1]).toBe('The heron is back.')
  await operated(service, 'hide', 'message', String(heron), '--reason', 'a test')
  expect((await rowsOn('/directories')).map(([, words]) => words)).toEqual([
    '',
    '',
    'A heron.',
    'Ice on the bank this morning.',
  ])
})
