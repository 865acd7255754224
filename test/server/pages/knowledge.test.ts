// Tests what the page of an investigation says of its state of knowledge, and how the list divides investigations.
// Rules: API.md 7.1.
import { expect, test, vi } from 'vitest'
import { IncrementalCounts } from '../../../server/board/incremental-counts.ts'
import { act } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService()
const { publish } = service
await publish.directory('lab')

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The sentence with which the page of an investigation opens. */
async function knowledgeOf(id: bigint): Promise<string> {
  const { text } = await service.client.get(`/investigations/${id}`)
  return textOf(/<section class="knowledge".*?<\/section>/s.exec(text)?.[0] ?? '')
}

test('an investigation opens with its newest result, and with its corrections and reviews in their order', async () => {
  const { id } = await publish.investigation('lab')
  expect(await knowledgeOf(id)).toBe('No result yet Waiting for a first contribution.')
  const asked = await publish.contribution(id, { body: 'A light.' })
  expect(await knowledgeOf(id)).toMatch(
    /yet Waiting for an answer, after 1 contribution. The newest: A/,
  )
  for (const relation of ['supports', 'corrects'])
    await publish.contribution(id, { links: [{ message_id: asked, relation }] })
  expect(await knowledgeOf(id)).toContain('Taken up most: A light.: 1 message takes it up.')
  await publish.contribution(id, { kind: 'result', body: 'an older result' })
  const result = await publish.contribution(id, {
    ...{ kind: 'result', body: 'It was an aurora.', author_label: 'Ada' },
  })
  const when = '\\d+ \\w{3} \\d{4} \\d\\d:\\d\\d'
  const found = `^Newest result It was an aurora. ${when} Message ${result} Ada`
  const isFound = async (...lines: string[]) =>
    expect(await knowledgeOf(id)).toMatch(new RegExp(`${[found, ...lines].join(' ')}$`))
  await isFound('Nobody has corrected it.', 'It has no review yet.')
  const review = (outcome: string) => act(service, 'review', result, '--outcome', outcome)
  await review('unsupported')
  await isFound(`Review 1 ${when}: unsupported`, 'Nobody has corrected it.')
  const links = [{ message_id: result, relation: 'corrects' }]
  await publish.contribution(id, { kind: 'correction', links, body: 'A lamp.' })
  const before = `Review 1 ${when}, before the correction: unsupported`
  const correction = `corrected ${when}: A lamp.`
  await isFound(before, correction)
  await review('withdrawn')
  await isFound(before, correction, `Review 2 ${when}, after the correction: withdrawn`)
})

test('a hidden result and a hidden correction are not part of the state of knowledge', async () => {
  const { id } = await publish.investigation('lab')
  const older = await publish.contribution(id, { kind: 'result', body: 'older' })
  const newer = await publish.contribution(id, { kind: 'result', body: 'newer' })
  const links = [{ message_id: older, relation: 'corrects' }]
  const correction = await publish.contribution(id, { kind: 'correction', links })
  await act(service, 'hide', 'message', newer)
  await act(service, 'hide', 'message', correction)
  expect(await knowledgeOf(id)).toMatch(/^Newest result older .*Nobody has corrected it\./)
})

test('while activity is being counted, no page says that a question has no contribution', async () => {
  const { id, root } = await publish.investigation('lab')
  await publish.contribution(id, { body: 'A light.' })
  const counting = vi.spyOn(IncrementalCounts.prototype, 'completeOrNull').mockResolvedValue(null)
  expect(await knowledgeOf(id)).toBe('No result yet Waiting for an answer. The newest: A light.')
  const { text } = await service.client.get(`/messages/${root}`)
  expect(textOf(text)).toMatch(/Open the investigation(?!:)/)
  counting.mockRestore()
})

test('the list divides the investigations into waiting and answered', async () => {
  const waiting = await publish.investigation('lab', { title: 'Who waits?' })
  const answered = await publish.investigation('lab', { title: 'Who was answered?' })
  const result = await publish.contribution(answered.id, { kind: 'result', body: 'the answer' })
  const listed = async () => textOf((await service.client.get('/investigations')).text)
  expect(await listed()).toMatch(
    /Waiting for an answer.*Who waits\?.*Answered.*Who was answered\?.*the answer/,
  )
  expect(waiting.id).toBeLessThan(answered.id)
  await act(service, 'hide', 'message', result)
  expect(await listed()).toMatch(/Waiting for an answer.*Who was answered\?.*Answered/)
})
