// Tests reviews and /continuity (specification: Review, Review input, States; API.md 7.3, 7.4 and COMMANDS.md 6.1).
// Rules: API.md 7.3-7.4, 7.8; COMMANDS.md 6.1.
import { describe, expect, test } from 'vitest'
import { act, operated, operator } from '../../support/operator.ts'
import { startTestService } from '../../support/service.ts'

const INSTANT = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

const service = await startTestService()
const { publish } = service
await publish.directory('lab')
const question = await publish.investigation('lab', { title: 'A <title>' })

interface Review {
  id: number
  message_id: number
  supersedes_id: number | null
}

const tryReview = (message: bigint | string, ...options: string[]) =>
  operator(service, ['review', String(message), ...options])
async function review(message: bigint, outcome = 'unsupported', reason = 'r', note?: string) {
  const more = note === undefined ? [] : ['--evidence-note', note]
  const options = ['--outcome', outcome, '--reason', reason, ...more, '--json']
  return JSON.parse(await operated(service, 'review', String(message), ...options)) as Review
}

const detail = async (id = question.id) =>
  (await service.client.get(`/investigations/${id}.json?limit=100`)).json as {
    investigation: { review: object | null }
    entries: { message_id: bigint; review: { id: bigint } | null }[]
  }
const shownReview = async (message: bigint) =>
  (await detail()).entries.find((entry) => entry.message_id === message)?.review

/** Reads a page of /continuity: the ids of its reviews in order, those superseded, and the row of each. */
async function continuity(query = '') {
  const { text } = await service.client.get(`/continuity${query}`)
  const rows = [
    ...text.matchAll(/<article class="judgement([^"]*)" id="review-([0-9]+)">.*?<\/article>/gs),
  ]
  return {
    text,
    ids: rows.map((row) => Number(row[2])),
    superseded: rows.filter((row) => row[1]?.includes('superseded')).map((row) => Number(row[2])),
    rowOf: (id: number) => rows.find((row) => Number(row[2]) === id)?.[0] ?? '',
  }
}

describe('reviews', () => {
  test('a review has the documented fields in order, in the command’s output and in the entry', async () => {
    const message = await publish.contribution(question.id)
    const made = await review(message, 'substantiated', 'it holds', 'seen\nby eye')
    const fields = [
      ['id', made.id],
      ['message_id', Number(message)],
      ['outcome', 'substantiated'],
      ['reason', 'it holds'],
      ['evidence_note', 'seen\nby eye'],
      ['method_version', 'continuity-1'],
      ['created_at', INSTANT],
      ['supersedes_id', null],
      ['reviewer_label', 'human operator'],
    ]
    expect(Object.entries(made)).toEqual(fields)
    const shown = Object.entries((await shownReview(message)) as object)
    expect(shown).toEqual(fields.map(([k, v]) => [k, typeof v === 'number' ? BigInt(v) : v]))
  })

  test('a question can be reviewed like a contribution', async () => {
    const { id, root } = await publish.investigation('lab')
    expect((await detail(id)).investigation.review).toBeNull()
    const made = await review(root, 'withdrawn')
    expect((await detail(id)).investigation.review).toMatchObject({ id: BigInt(made.id) })
  })

  test('a second review supersedes the first, whatever the outcomes, and the entry shows the newest', async () => {
    const message = await publish.contribution(question.id)
    const chain = [
      await review(message, 'withdrawn'),
      await review(message, 'substantiated', 'r', 'n'),
      await review(message, 'unsupported'),
      await review(message, 'unsupported'),
    ]
    expect(chain.map((item) => item.supersedes_id)).toEqual([
      null,
      ...chain.slice(0, 3).map((item) => item.id),
    ])
    expect(await shownReview(message)).toMatchObject({ id: BigInt(chain[3]?.id ?? 0) })
  })
})

test('a judged text that is cut ends in a mark, however much of its beginning is white space', async () => {
  const body = 'gauge      1.04 m      falling\n'.repeat(40)
  const { id } = await review(await publish.contribution(question.id, { body }))
  expect((await continuity()).rowOf(id)).toMatch(/ falling gauge …<\/q>/)
})

describe('review input', () => {
  const noted = (note: string) => ['--reason', 'r', '--evidence-note', note]

  test.each([
    ['a reason of 500 characters', ['--reason', 'x'.repeat(500)]],
    ['a reason of several lines', ['--reason', 'a\n\tb\r\n']],
    ['an evidence note of 2048 characters', noted('x'.repeat(2048))],
    ['an empty evidence note', noted('')],
  ])('the review command accepts %s', async (_, options) => {
    const result = await tryReview(question.root, '--outcome', 'unsupported', ...options)
    expect(result).toMatchObject({ code: 0, err: '' })
  })

  test.each([
    ['an empty reason', ['--reason', ''], /reason: /],
    ['a blank reason', ['--reason', ' \n\u3000'], /reason: /],
    ['a reason of 501 characters', ['--reason', 'x'.repeat(501)], /reason: .*500 characters/],
    ['a reason of 502 bytes', ['--reason', 'ä'.repeat(251)], /reason: .*500 UTF-8 bytes/],
    ['a reason with a control character', ['--reason', 'a\u001b[2J'], /reason: .*control/],
    ['a note of 2049 characters', noted('x'.repeat(2049)), /evidence_note: /],
    ['a note of 2050 bytes', noted('ä'.repeat(1025)), /evidence_note: /],
    ['a note with a control character', noted('\u0007'), /evidence_note: /],
  ])('the review command rejects %s with one line and exit code 2', async (_, options, line) => {
    const result = await tryReview(question.root, '--outcome', 'unsupported', ...options)
    expect(result).toMatchObject({ code: 2, out: '' })
    expect(result.err).toMatch(/^operator: [^\n]*\n$/)
    expect(result.err).toMatch(line)
  })

  test.each([
    ['missing', []],
    ['empty', ['--evidence-note', '']],
    ['blank', ['--evidence-note', ' \t\n\u2003']],
  ])('the outcome substantiated fails with an evidence note that is %s', async (_, note) => {
    const options = ['--outcome', 'substantiated', '--reason', 'r', ...note]
    expect(await tryReview(question.root, ...options)).toMatchObject({
      code: 2,
      err: 'operator: review: evidence_note: is required, and must not be blank, when the outcome is substantiated; see --help\n',
    })
  })

  test('a missing, hidden or unrelated message and an invalid id each fail with one line', async () => {
    const plain = await publish.message('lab')
    const hidden = await publish.contribution(question.id)
    await act(service, 'hide', 'message', hidden)
    const reviewOf = async (id: bigint | string) =>
      tryReview(id, '--outcome', 'withdrawn', '--reason', 'r')
    for (const id of [999_999n, hidden])
      expect(await reviewOf(id)).toMatchObject({
        code: 1,
        err: `operator: there is no visible message ${id}\n`,
      })
    expect(await reviewOf(plain)).toMatchObject({
      code: 1,
      err: `operator: message ${plain} does not belong to an investigation\n`,
    })
    for (const id of ['x', '0', '01', '9223372036854775808', '1.0'])
      expect(await reviewOf(id)).toMatchObject({
        code: 2,
        err: 'operator: review: MESSAGE_ID: must be a whole number from 1 to 9223372036854775807; see --help\n',
      })
  })
})

describe('the continuity page', () => {
  test('the page lists all reviews with their fields, newest first, and superseded ones as they were, but marked', async () => {
    const message = await publish.contribution(question.id, { body: 'It was a lamp.' })
    const first = await review(message, 'substantiated', 'because & so', 'the <note>')
    const second = await review(message, 'withdrawn', 'not after all')
    const page = await continuity('?limit=100')
    expect(page.ids).toEqual([...page.ids].sort((a, b) => b - a))
    expect(page.ids).toContain(first.id)
    expect(page.superseded).toContain(first.id)
    expect(page.superseded).not.toContain(second.id)
    for (const part of [
      `href="/messages/${message}"`,
      'substantiated',
      '>because &amp; so<',
      '>the &lt;note&gt;<',
      '>It was a lamp.<',
      'by the operator',
      'continuity-1',
      '<time datetime="',
      `#review-${second.id}`,
    ])
      expect(page.rowOf(first.id)).toContain(part)
    expect(page.rowOf(second.id)).toContain(`#review-${first.id}`)
  })

  test('a review disappears with its hidden message and returns with it', async () => {
    const { id, root } = await publish.investigation('lab')
    const message = await publish.contribution(id)
    const ofMessage = await review(message, 'unsupported')
    const ofRoot = await review(root, 'unsupported')
    const shown = async () => {
      const { ids } = await continuity(`?after=${ofMessage.id - 1}`)
      return [ofMessage.id, ofRoot.id].map((reviewId) => ids.includes(reviewId))
    }
    expect(await shown()).toEqual([true, true])
    await act(service, 'hide', 'message', message)
    expect(await shown()).toEqual([false, true])
    await act(service, 'hide', 'investigation', id)
    expect(await shown()).toEqual([false, false])
    await act(service, 'show', 'message', message)
    expect(await shown()).toEqual([false, false])
    await act(service, 'show', 'investigation', id)
    expect(await shown()).toEqual([true, true])
  })
})
