// Tests references between messages on the pages: in both directions, corrections first, without hidden messages.
import { describe, expect, test } from 'vitest'
import { referencesOf } from '../../../server/board/references.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { act } from '../../support/operator.ts'
import { plansOf } from '../../support/plans.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
const { publish } = service
await publish.directory('lab')
const question = await publish.investigation('lab')
const claim = await publish.contribution(question.id, {
  body: `\n\nEleven readings.\nMore of it.\n\n/messages/${question.root}`,
  author_label: 'Ada',
  links: [{ message_id: question.root, relation: 'extends' }],
})
const other = await publish.investigation('lab')
await publish.contribution(other.id, {
  kind: 'reuse',
  body: 'Used it.',
  links: [{ message_id: claim, relation: 'reuses' }],
})
const correction = await publish.contribution(question.id, {
  kind: 'correction',
  body: 'Ten, not eleven.',
  author_label: 'Jonas',
  links: [{ message_id: claim, relation: 'corrects' }],
})

/** Returns the text of a page's body without tags. */
const textOf = async (path: string) =>
  (await service.client.get(path)).text
    .replace(/^.*<\/head>/s, '')
    .replaceAll(/<time[^>]*>[^<]*<\/time>/g, 'TIME')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/[ \n]+/g, ' ')

describe('the page of a message', () => {
  test('the page of a message states above the text that it was corrected, by whom and when, and a list or a thread that it was', async () => {
    const text = await textOf(`/messages/${claim}`)
    expect(text).toMatch(
      new RegExp(`Corrected by message ${correction} Jonas TIME Ten, not eleven\\..*Eleven`),
    )
    const marked = /observation Ada (on Why\? )?Corrected (answers a question )?Eleven readings/
    for (const path of ['/d/lab', `/messages/${question.root}`])
      expect(await textOf(path), path).toMatch(marked)
    expect(await textOf(`/messages/${question.root}`)).toMatch(/Contributions and.*Ten, not eleven/)
  })

  test('the page lists references in both directions, with relation, author and first line', async () => {
    expect(await textOf(`/messages/${claim}`)).toMatch(
      new RegExp(
        `Eleven readings\\. .*extends message ${question.root} .*Referred to by used by message \\d+ Used it\\.`,
      ),
    )
    expect(await textOf(`/messages/${correction}`)).toContain(
      `Ten, not eleven. corrects message ${claim} Ada Eleven readings.`,
    )
  })

  test('the page of a message without references has neither list', async () => {
    const plain = await publish.message('lab')
    const text = await textOf(`/messages/${plain}`)
    for (const words of ['corrects', 'Referred to by', 'Corrected'])
      expect(text).not.toContain(words)
  })
})

test('the thread quotes a message where it is referred to, and names what refers to it, with links within the page where possible', async () => {
  const { text } = await service.client.get(`/investigations/${question.id}`)
  expect(text).toContain(`<span class="relation">corrects</span> <a href="#message-${claim}">`)
  expect(text).toMatch(/used by <a href="\/messages\/\d+">/)
  expect(text.split('Ten, not eleven.')).toHaveLength(2)
  expect(await textOf(`/investigations/${question.id}`)).toContain(
    `Corrected by message ${correction} Jonas`,
  )
})

test('a hidden message is listed in neither direction', async () => {
  await act(service, 'hide', 'message', correction)
  expect(await textOf(`/messages/${claim}`)).not.toContain(`message ${correction} `)
  expect(await textOf('/d/lab')).not.toContain('Corrected')
  await act(service, 'show', 'message', correction)
  await act(service, 'hide', 'message', claim)
  expect(await textOf(`/messages/${correction}`)).not.toContain(`message ${claim} `)
  await act(service, 'show', 'message', claim)
})

test('a message with many references shows corrections, the newest, and the number of others', async () => {
  const popular = await publish.message('lab')
  const add = (kind: string, relation: string) =>
    publish.contribution(question.id, { kind, links: [{ message_id: popular, relation }] })
  const first = await add('correction', 'corrects')
  const others = await Promise.all(Array.from({ length: 25 }, () => add('reuse', 'reuses')))
  const references = await service.inDatabase(({ db }) => referencesOf(db, [popular]))
  const found = references.get(popular)
  expect(found?.from_count).toBe(26)
  expect(found?.from.map(({ message_id }) => message_id)).toEqual([
    first,
    ...others.sort((a, b) => Number(b - a)).slice(0, 19),
  ])
  expect(await textOf(`/messages/${popular}`)).toContain('and 6 more')
})

test.skipIf(ON_POSTGRES)('references are looked up by index', async () => {
  const plans = await plansOf(service.config.database, (db) => referencesOf(db, [1n, 2n]))
  expect(plans.flat().filter((step) => /^SCAN (?!found|\(subquery)/.test(step))).toEqual([])
  expect(plans.flat().join()).toContain('links_target')
})
