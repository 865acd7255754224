// Tests which messages answer which: in the database, in lists, feeds and on the pages of the messages of a thread.
// Rules: API.md 4.9.

import { describe, expect, test } from 'vitest'
import { dayOf } from '../../../archive/format/calendar.ts'
import { answersOf, MAX_COUNTED, threadOf } from '../../../server/board/answers.ts'
import { answerIn } from '../../../server/wire/mentions.ts'
import { openExisting } from '../../support/database.ts'
import { act } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'

const HOST = 'board.example'
const service = await startTestService({ BASE_URL: `https://${HOST}` })
const { db } = await openExisting(service.config.database)
const { publish } = service
await publish.directory('lab')

const answer = (id: bigint, text = 'I did.') => publish.message('lab', `${text}\n\n/messages/${id}`)
const countOf = async (id: bigint) => (await answersOf(db, [id], HOST)).get(id)?.count ?? 0
const answered = async (id: bigint) => (await answersOf(db, [id], HOST)).get(id)?.to?.message_id
/** The ids of a thread above and below a message. */
async function around(id: bigint, after = 0n): Promise<[above: bigint[], below: bigint[]]> {
  const { above, below } = await threadOf(db, { id, host: HOST, after })
  return [above.map((one) => one.message_id), below.map((one) => one.message_id)]
}

const textOf = (html: string) => html.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')
const pageOf = async (path: string) => (await service.client.get(path)).text
/** A message of a page, as text. */
const shownAt = async (path: string, id: bigint) =>
  textOf(
    new RegExp(`<article class="message" id="message-${id}">.*?</article>`, 's').exec(
      await pageOf(path),
    )?.[0] ?? '',
  )

test('lists, feeds and pages name what a text answers, above it and in place of the address', async () => {
  const body = 'Alguém mais viu a luz?'
  const asked = (
    await service.client.post('/api/v1/messages', { directory: 'lab', body, author_label: 'Luiza' })
  ).json as { message_id: number }
  const id = BigInt(asked.message_id)
  const said = await answer(id, 'From the weir.')
  const bare = await publish.message('lab', `/messages/${said}`)
  expect(await shownAt('/d/lab', said)).toMatch(
    /answers Luiza: Alguém mais viu a luz\? From the weir\.1 answer $/,
  )
  expect(await shownAt('/d/lab', bare)).toMatch(/answers From the weir\. $/)
  expect(await shownAt('/d/lab', id)).toContain('1 answer')
  const day = `/transmissions/${dayOf(service.clock.now())}`
  for (const path of ['/', day, `${day}/records`, '/search?q=weir']) {
    const shown = textOf(await pageOf(path))
    expect(shown, path).toContain('answers Luiza: Alguém mais viu a luz? From the weir.')
    expect(shown, path).not.toContain(`/messages/${id}`)
  }
  const page = textOf(await pageOf(`/messages/${said}`))
  expect(page).toMatch(/Luiza Alguém mais viu a luz\?.*From the weir\..*Answers/)
  expect(page).not.toContain(`/messages/${id} `)
  const feed = (await pageOf('/feed.atom?directory=lab'))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
  expect(textOf(feed)).toContain('answers Luiza: Alguém mais viu a luz? From the weir.')
  expect(textOf(feed)).toContain('lab: answers From the weir.')
  expect(feed).toContain(`https://${HOST}/messages/${id}&quot;>answers`)
  expect((await service.client.get(`/messages/${said}.txt`)).text).toBe(
    `From the weir.\n\n/messages/${id}`,
  )
})

test('lists show what a message is in its investigation, and lead to it there', async () => {
  const { id, root } = await publish.investigation('lab', { body: 'Which lantern?' })
  const seen = await publish.contribution(id, { body: 'A lantern.' })
  const days = `/transmissions/${dayOf(service.clock.now())}`
  for (const path of ['/', '/d/lab', days, `${days}/records`, '/search?q=lantern']) {
    const page = await pageOf(path)
    const url = `/investigations/${id}`
    expect(page, path).toContain(`<a href="${url}"><span class="kind question">question<`)
    const ofSeen = `<a href="${url}?after=${seen - 1n}#message-${seen}"><span class="kind observation">`
    expect(page, path).toContain(ofSeen)
    expect(page, path).toContain(`<a href="/messages/${root}#answers">1 contribution</a>`)
  }
  expect((await answersOf(db, [root], HOST)).get(root)).toMatchObject({ count: 0, to: undefined })
  await act(service, 'hide', 'message', seen)
  expect((await answersOf(db, [root], HOST)).get(root)?.contributions).toBe(0)
})

test('a message names its nearest neighbours that are not in its thread', async () => {
  const before = await publish.message('lab', 'the one before')
  const asked = await publish.message('lab', 'the one that asks')
  const said = await answer(asked, 'the one that answers')
  const later = await answer(said, 'the one that answers it')
  const after = await publish.message('lab', 'the one after')
  const named = async (id: bigint) =>
    [...(await pageOf(`/messages/${id}`)).matchAll(/"\/messages\/(\d+)" rel="/g)].map(
      ([, one]) => one,
    )
  expect(await named(said)).toEqual([before, after].map(String))
  expect(await named(asked)).toEqual([String(before)])
  expect(await named(after)).toEqual([String(later)])
})

describe('a text answers a message', () => {
  const endings: [text: string, before: string | undefined][] = [
    ['I did.\n\n/messages/7', 'I did.'],
    ['I did.\r\n  /messages/7 \n\n', 'I did.'],
    ['/messages/7', ''],
    ['two\nlines\nhttps://board.example/messages/7', 'two\nlines'],
    ['See /messages/7', undefined],
    ['/messages/7\nand more', undefined],
    ['/messages/7.json', undefined],
    ['https://board.example/messages/7?x=1', undefined],
    ['/messages/7 /messages/8', undefined],
    ['x\n\u200b/messages/7', undefined],
    ['/messages/99999999999999999999', undefined],
  ]
  test.each(endings)('if its last line is an address and nothing else: %j', (text, before) => {
    expect(answerIn(text)?.before).toBe(before)
  })

  test('of this board that is visible, by its path or its whole address', async () => {
    const asked = await publish.message('lab')
    const byUrl = await publish.message('lab', `Yes.\nhttps://${HOST}/messages/${asked}`)
    await publish.message('lab', `No.\nhttps://other.example/messages/${asked}`)
    const onlyAddress = await publish.message('lab', `/messages/${asked}`)
    expect(await around(asked)).toEqual([[], [byUrl, onlyAddress]])
    expect([await countOf(asked), await answered(byUrl)]).toEqual([2, asked])
    await act(service, 'hide', 'message', onlyAddress)
    expect(await countOf(asked)).toBe(1)
    await act(service, 'hide', 'message', asked)
    expect(await answered(byUrl)).toBeUndefined()
    expect(await shownAt('/d/lab', byUrl)).toContain(`Yes. https://${HOST}/messages/${asked}`)
  })
})

test('a chain of answers reads as one from any of its messages, up to one that is hidden', async () => {
  const chain = [await publish.message('lab', 'Who?')]
  for (let i = 0; i < 4; i++) chain.push(await answer(chain.at(-1) as bigint, `part ${i}`))
  const other = await answer(chain[0] as bigint)
  for (const [i, id] of chain.entries())
    expect(await around(id)).toEqual([
      chain.slice(0, i),
      [...chain.slice(i + 1), ...(i === 0 ? [other] : [])],
    ])
  await act(service, 'hide', 'message', chain[2] as bigint)
  expect(await around(chain[0] as bigint)).toEqual([[], [chain[1], other]])
  expect(await around(chain[4] as bigint)).toEqual([[chain[3]], []])
})

test('the first fifty of a thread are below a message, however its answers branch, and the page leads to the rest', async () => {
  const root = await publish.message('lab', 'Who counts?')
  const ids = [root]
  for (let i = 1; i <= MAX_COUNTED + 5; i++)
    ids.push(await answer(i % 3 === 0 ? (ids[i >> 1] as bigint) : root, `no ${i}.`))
  const [, below] = await around(root)
  expect(below).toEqual(ids.slice(1, 51))
  const page = await pageOf(`/messages/${root}`)
  const next = /href="(\/messages\/\d+\?after=(\d+))#answers" rel="next"/.exec(page)
  const [, direct] = await around(root, BigInt(next?.[2] ?? 0))
  expect(direct[0]).toBeGreaterThan(BigInt(next?.[2] ?? 0))
  expect(textOf(await pageOf(next?.[1] ?? ''))).toContain(`Message ${direct[0]}`)
  for (let i = 0; i < 35; i++) await answer(root)
  expect(await countOf(root)).toBe(MAX_COUNTED)
  expect(await shownAt(`/d/lab?messages_after=${root - 1n}`, root)).toContain('100 or more answers')
})

test('the ETag of a page changes when an answer appears and when it is hidden', async () => {
  const asked = await publish.message('lab')
  const tag = async () => (await service.client.get(`/messages/${asked}`)).headers.get('etag')
  const before = await tag()
  const said = await answer(asked)
  const during = await tag()
  await act(service, 'hide', 'message', said)
  expect([during === before, await tag()]).toEqual([false, before])
})
