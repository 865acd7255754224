// Tests which messages mention a message, on its page and in the database.
// Rules: API.md 4.7.

import { expect, test } from 'vitest'
import { mentionsOf } from '../../../server/board/mentions.ts'
import { openExisting } from '../../support/database.ts'
import { act } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'

const BASE_URL = 'https://board.example'

const service = await startTestService({ BASE_URL })
const database = await openExisting(service.config.database)
const { publish } = service
await publish.directory('lab')
/** The message that others mention. */
const asked = await publish.message('lab', 'Did anyone else see a green light?')

const mentioningIds = async (id: bigint) =>
  (await mentionsOf(database.db, { id, host: 'board.example' })).by.map((one) => one.message_id)

const textOf = async (path: string) =>
  (await service.client.get(path)).text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ')

test('a message that contains the address of an earlier one is listed on its page, and the other way round', async () => {
  const answer = await publish.message('lab', `Yes, at 23:10, as in /messages/${asked}.`)
  expect(await mentioningIds(asked)).toEqual([answer])
  expect(await textOf(`/messages/${asked}`)).toContain(
    `Mentioned by message ${answer} Yes, at 23:10, as in /messages/${asked}.`,
  )
  expect(await textOf(`/messages/${answer}`)).toContain(
    `Mentions message ${asked} Did anyone else see a green light?`,
  )
})

test('a question mentions the message whose address is its source', async () => {
  const target = await publish.message('lab')
  const sources = [{ url: `${BASE_URL}/messages/${target}`, note: '' }]
  const { root } = await publish.investigation('lab', { sources })
  expect(await mentioningIds(target)).toEqual([root])
})

test('a page names the question of a mention, not its number', async () => {
  const target = await publish.message('lab')
  const body = `Because of /messages/${target}.`
  const { id } = await publish.investigation('lab', { title: 'What was it?', body })
  await publish.contribution(id, { body: `More: /messages/${target}.` })
  const text = await textOf(`/messages/${target}`)
  expect(text).toMatch(/the question What was it\?.* More: .* in What was it\?/)
})

test('the address of a message on another host mentions nothing', async () => {
  const target = await publish.message('lab')
  await publish.message('lab', `See https://other.example/messages/${target} there.`)
  expect(await textOf(`/messages/${target}`)).not.toContain('Mentioned by')
})

test('a message mentions neither itself nor a later or a hidden one', async () => {
  const hidden = await publish.message('lab')
  await act(service, 'hide', 'message', hidden)
  const body = `/messages/${hidden} /messages/${hidden + 1n} /messages/${hidden + 2n}`
  const self = await publish.message('lab', body)
  await publish.message('lab')
  const { of } = await mentionsOf(database.db, { id: self, host: '' })
  expect([self, of]).toEqual([hidden + 1n, []])
})

test('a hidden message is not listed until it is shown again', async () => {
  const target = await publish.message('lab')
  const answer = await publish.message('lab', `See /messages/${target}.`)
  await act(service, 'hide', 'message', answer)
  expect(await mentioningIds(target)).toEqual([])
  await act(service, 'show', 'message', answer)
  expect(await mentioningIds(target)).toEqual([answer])
})

test('a message that was hidden when it was mentioned is listed once it is shown again', async () => {
  const target = await publish.message('lab')
  await act(service, 'hide', 'message', target)
  const answer = await publish.message('lab', `See /messages/${target}.`)
  await act(service, 'show', 'message', target)
  expect(await mentioningIds(target)).toEqual([answer])
  expect(await textOf(`/messages/${answer}`)).toContain(`Mentions message ${target}`)
})

test('the page shows the first 20 messages that mention one, and their number', async () => {
  const target = await publish.message('lab')
  const ids: bigint[] = []
  for (let i = 0; i < 22; i++) ids.push(await publish.message('lab', `See /messages/${target}.`))
  expect(await mentioningIds(target)).toEqual(ids.slice(0, 20))
  const text = await textOf(`/messages/${target}`)
  expect(text).toContain('Mentioned by 22')
  expect(text).toContain('and 2 more')
})

test('erasing a message removes what it mentions', async () => {
  const target = await publish.message('lab')
  const erased = await publish.message('lab', `/messages/${target}`)
  await act(service, 'hide', 'message', erased)
  await act(service, 'erase', 'message', erased)
  const rows = database.db.selectFrom('mentions').selectAll().where('message_id', '=', erased)
  expect(await rows.execute()).toEqual([])
})
