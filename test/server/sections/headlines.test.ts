// The headlines of days: the rule, what they forget, and the pages that show them.
// Rules: API.md 9.19.
import { beforeAll, describe, expect, test } from 'vitest'
import type { Transaction } from '../../../server/database/database.ts'
import { act } from '../../support/operator.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'
import { makeArchive } from '../transmissions/archive.ts'

const clock = clockAt('2026-11-17T09:00:00.000Z')
let service: TestService

/** The headline of a day, on its page. */
async function headline(day: string): Promise<string | undefined> {
  clock.pass(1_000)
  const { text } = await service.client.get(`/transmissions/${day}`, { accept: 'text/html' })
  const [, found] = /<h1 dir="auto">(.*?)<p class="actions">/s.exec(text) ?? []
  return found
    ?.replaceAll(/\s*<[^>]+>\s*/g, ' ')
    .replaceAll(/ +/g, ' ')
    .trim()
}

const hide = (id: bigint) => act(service, 'hide', 'message', `${id}`)
const show = (id: bigint) => act(service, 'show', 'message', `${id}`)

beforeAll(async () => {
  service = await startTestService({ BASE_URL: 'https://board.example' }, clock)
})

describe('the rule', () => {
  test('a day has what was published on it last by the rule, and goes back when that is hidden', async () => {
    expect(await headline('2026-11-17')).toBe('Nothing yet')
    for (const path of ['river', 'sky', 'sky/aurora']) await service.publish.directory(path)
    const first = await service.publish.message('river', 'Ice on the bank this morning.')
    await service.publish.message('sky', 'Clear.')
    await service.publish.message('river', 'None at noon.')
    expect(await headline('2026-11-17')).toBe('2 messages in river and 1 in sky')

    clock.passTo('2026-11-18T09:00:00.000Z')
    await service.publish.message('sky', `As at https://elsewhere.example/messages/${first + 1n}`)
    const answer = await service.publish.message(
      'river',
      `Here: https://board.example/messages/${first}`,
    )
    expect(await headline('2026-11-17')).toBeUndefined()
    await makeArchive(service.archiveDir, ['2026-11-17'])
    expect(await headline('2026-11-17')).toBe('“Ice on the bank this morning.”')
    await hide(answer)
    expect(await headline('2026-11-17')).toBe('2 messages in river and 1 in sky')
    await show(answer)

    const { id: question, root } = await service.publish.investigation('sky/aurora', {
      title: 'Was it aurora?',
    })
    expect(await headline('2026-11-18')).toBe('Was it aurora?')
    const result = await service.publish.contribution(question, {
      kind: 'result',
      body: 'No, <b>the greenhouse</b>.',
    })
    expect(await headline('2026-11-18')).toBe(
      'Was it aurora? “No, &lt;b&gt;the greenhouse&lt;/b&gt;.”',
    )
    await act(service, 'review', `${result}`, '--outcome', 'unsupported')
    expect(await headline('2026-11-18')).toMatch(/” Reviewed unsupported a test$/)
    await hide(result)
    expect(await headline('2026-11-18')).toBe('Was it aurora?')
    await hide(root)
    expect(await headline('2026-11-18')).toBe('1 message in river and 1 in sky')
  })

  test('a day opens with what its headline quotes and with what is linked with that on the same day', async () => {
    clock.pass(1_000)
    const { text } = await service.client.get('/transmissions/2026-11-17', { accept: 'text/html' })
    const [opening, rest] = text.split('<h2>The other messages, by time</h2>')
    const ids = (part = '') => [...part.matchAll(/id="message-(\d+)"/g)].map(([, id]) => id)
    expect(ids(opening)).toEqual(['1'])
    expect(ids(rest)).toEqual(['2', '3'])
  })

  test('an old headline stands, whatever is mentioned later, until an operator acts', async () => {
    clock.passTo('2026-11-21T09:00:00.000Z')
    await makeArchive(service.archiveDir, ['2026-11-18', '2026-11-19', '2026-11-20'])
    expect(await headline('2026-11-17')).toBe('“Ice on the bank this morning.”')
    for (let i = 0; i < 3; i++) await service.publish.message('sky', 'Yes.\n\n/messages/2')
    expect(await headline('2026-11-17')).toBe('“Ice on the bank this morning.”')
    await hide(1n)
    expect(await headline('2026-11-17')).toBe('1 message in river and 1 in sky')
    await show(1n)
    expect(await headline('2026-11-17')).toBe('“Ice on the bank this morning.”')
    for (const [how, left] of [
      ['hide', '1 message in sky'],
      ['show', '“Ice on the bank this morning.”'],
    ] as const) {
      await act(service, how, 'directory', 'river')
      expect(await headline('2026-11-17')).toBe(left)
    }
  })

  test('a directory that is shown in slices is back once the last is, which is no action', async () => {
    const written = (work: (tx: Transaction) => Promise<unknown>) =>
      service.inDatabase((database) => database.write(work))
    const sweep = { directory_id: 1n, visible: 1 } as const
    await hide(1n)
    await show(1n)
    await written((tx) => tx.insertInto('sweeps').values(sweep).execute())
    expect(await headline('2026-11-17')).toBe('1 message in sky')
    await written((tx) => tx.deleteFrom('sweeps').execute())
    expect(await headline('2026-11-17')).toBe('“Ice on the bank this morning.”')
  })
})

test('a long result is cut after a sentence if one ends among its first words, and says when it is corrected', async () => {
  const { id } = await service.publish.investigation('sky', { title: 'Why?' })
  const body = `${'It was the greenhouse. '.repeat(2)}${'And more of it '.repeat(9)}`
  const result = await service.publish.contribution(id, { kind: 'result', body })
  const shown = 'Why? “It was the greenhouse. It was the greenhouse.”'
  expect(await headline('2026-11-21')).toBe(shown)
  clock.passTo('2026-11-23T09:00:00.000Z')
  await makeArchive(service.archiveDir, ['2026-11-21'])
  expect(await headline('2026-11-21')).toBe(shown)
  const links = [{ message_id: result, relation: 'corrects' }]
  await service.publish.contribution(id, { kind: 'correction', body: 'No.', links })
  expect(await headline('2026-11-21')).toBe(`${shown} Corrected`)
})

test('hostile words are cut, and stay text', async () => {
  clock.passTo('2026-11-24T09:00:00.000Z')
  const title = `${'x'.repeat(199)}>`
  await service.publish.investigation('sky', { title })
  const shown = (await headline('2026-11-24')) ?? ''
  expect(shown).toBe(`${'x'.repeat(90)} …`)
})

test('each page of days and each feed of days has the headline, and no JSON has', async () => {
  const words = 'Ice on the bank this morning.'
  for (const path of ['/transmissions', '/transmissions/2026-11', '/transmissions/feed.atom']) {
    const { text } = await service.client.get(path, { accept: 'text/html' })
    expect(text, path).toContain(words)
  }
  const podcast = await service.client.get('/transmissions/podcast.xml')
  expect(podcast.text).toMatch(/<title>17 November 2026: “Ice on/)
  expect(podcast.text).toMatch(/<description>“None at noon.” \d+ messages? /)
  const feed = await service.client.get('/transmissions/feed.atom')
  expect(feed.text).toContain('https://board.example/messages/3&quot;&gt;“None at noon.”&lt;/a&gt;')
  const { text } = await service.client.get('/transmissions/2026-11-17', { accept: 'text/html' })
  for (const place of [
    /<title>[^<]*Ice on/,
    /og:title" content="[^"]*Ice on/,
    /description" content="“Ice on the bank this morning\.” \d+ message/,
  ])
    expect(text).toMatch(place)
  for (const path of ['/transmissions/2026-11-17.json', '/transmissions/index.json'])
    expect((await service.client.get(path)).text).not.toContain(words)
})
