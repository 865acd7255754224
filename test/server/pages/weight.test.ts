// The weight of full pages: a busy directory, a long thread, many questions and reviews, texts that grow when escaped.
import { beforeAll, expect, test } from 'vitest'
import { operated } from '../../support/operator.ts'
import { random } from '../../support/random.ts'
import { startTestService, type TestService } from '../../support/service.ts'

/** Limit for a page with its style sheet and script, as they are transferred [bytes]. */
const MAX_BYTES = 30_000
/** More records than fit on any page. */
const MANY = 30

const LONG = 'A reading of the gauge, with all that was seen around it. '.repeat(40)
const LABEL = 'The people of the mill lane and of both banks of the river'
const SOURCES = [1, 2].map((i) => ({
  url: `https://example.org/${'readings/'.repeat(8)}${i}`,
  note: 'Every reading of the month, with the rain before it.',
}))

/** The id of the investigation with short texts. */
const SHORT = BigInt(MANY + 2)
/** The id of the investigation with texts that grow most when escaped. */
const HEAVY = SHORT + 1n
/** The messages of the latter: its question and its contribution. */
const heavyMessages: bigint[] = []

/** A path of nearly maximal length, and as many paths below it as one page shows. */
const LONGEST_PARENT = ['a', 'b', 'c'].map((letter) => letter.repeat(60)).join('/')
const LONG_PATHS = [
  ...[60, 121, 182].map((length) => LONGEST_PARENT.slice(0, length)),
  ...Array.from({ length: 20 }, (_, i) => `${LONGEST_PARENT}/${'d'.repeat(60)}${100 + i}`),
]

const { below } = random(1)
/** A text of so many letters, which no coding shortens to less than three quarters. */
const incompressible = (length: number) =>
  Buffer.from(Array.from({ length: length * 0.75 }, () => below(256))).toString('base64')

let service: TestService
beforeAll(async () => {
  service = await startTestService()
  const board = service.publish
  await board.directory('river')
  for (let i = 0; i < MANY; i++) await board.directory(`river/gauge-${100 + i}`)
  for (let i = 0; i < MANY; i++) {
    await board.message(`river/gauge-${100 + i}`, LONG)
    await board.message('river', LONG)
  }
  const question = { title: LABEL, body: LONG, author_label: LABEL, sources: SOURCES }
  const { id, root } = await board.investigation('river', question)
  let last = root
  for (let i = 0; i < MANY; i++) {
    const links = [root, last].map((message_id) => ({ message_id, relation: 'extends' }))
    const more = { ...question, title: undefined, links: i === 0 ? [] : links }
    last = await board.contribution(id, more)
  }
  const heavyTitle = { ...question, title: '"'.repeat(200), author_label: '"'.repeat(80) }
  for (let i = 0; i < MANY; i++) await board.investigation(`river/gauge-${100 + i}`, heavyTitle)
  let short = (await board.investigation('river/gauge-100', { title: 'Short?' })).root
  for (let i = 0; i < MANY; i++) {
    const links = [{ message_id: short, relation: 'supports' }]
    const more = { body: '1.04 m, falling.', author_label: `mill lane ${i}`, links }
    short = await board.contribution(SHORT, more)
  }
  const heavy = {
    ...{ title: '"'.repeat(200), body: '&'.repeat(16_384), author_label: '"'.repeat(80) },
    sources: Array.from({ length: 4 }, () => ({ url: `https://a.b/${'"'.repeat(950)}`, note: '' })),
  }
  const { root: heavyRoot } = await board.investigation('river/gauge-101', heavy)
  const links = [{ message_id: heavyRoot, relation: 'corrects' }]
  const correction = await board.contribution(HEAVY, { ...heavy, title: undefined, links })
  heavyMessages.push(heavyRoot, correction)
  await operated(
    service,
    ...['review', String(correction), '--outcome', 'substantiated'],
    ...['--reason', '&'.repeat(500), '--evidence-note', '&'.repeat(2_000)],
  )
  await board.directory('noise')
  for (let i = 0; i < MANY; i++) await board.message('noise', incompressible(800))
  for (const path of LONG_PATHS) {
    await board.directory(path)
    await board.message(path, '&'.repeat(800))
  }
  for (let i = 0; i < MANY; i++) await board.message(LONGEST_PARENT, '&'.repeat(800))
  for (let i = 0; i < MANY; i++)
    await operated(
      service,
      ...['review', String(short), '--outcome', 'unsupported'],
      ...['--reason', LONG.slice(0, 500), '--evidence-note', LONG.slice(0, 2_000)],
    )
})

const textOf = async (path: string) => (await service.client.get(path)).text

/** The paths of a page, its style sheet and its script. */
async function partsOf(path: string): Promise<string[]> {
  const page = await textOf(path)
  const parts = page.matchAll(/<link rel="stylesheet" href="([^"]+)"|<script [^>]*src="([^"]+)"/g)
  return [path, ...Array.from(parts, ([, style, script]) => style ?? script ?? '')]
}

/** Returns the size of these, as they are transferred [bytes]. */
async function sumOf(paths: readonly string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(transferred))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const weightOf = async (path: string) => sumOf(await partsOf(path))

async function transferred(path: string): Promise<number> {
  const headers = { 'accept-encoding': 'gzip, br' }
  const { headers: answered } = await fetch(service.url + path, { method: 'HEAD', headers })
  return Number(answered.get('content-length'))
}

test.each([
  '/',
  '/directories',
  '/d/river',
  '/d/noise',
  '/d/river?messages_after=0',
  '/investigations',
  '/investigations?after=0',
  '/investigations/1',
  `/investigations/${SHORT}`,
  `/investigations/${HEAVY}`,
  ...['/continuity', '/moderation', '/write', '/search', '/follow'],
  ...['/guide', '/api', '/how-it-works', '/transmissions', '/transmissions/listen'],
  `/d/${LONGEST_PARENT}`,
])('%s weighs at most 30 KB when it is full', async (path) => {
  expect(await weightOf(path)).toBeLessThanOrEqual(MAX_BYTES)
})

test('the decoder page takes at most 60 KB with its worker, and its script loads nothing else', async () => {
  const parts = await partsOf('/transmissions/decode')
  const script = parts.at(-1) as string
  const loaded = [...(await textOf(script)).matchAll(/["']\.(\/[^"']+\.js)["']/g)].map(([, name]) =>
    script.replace('/decode-page.js', name as string),
  )
  expect(loaded).toEqual([script.replace('page.js', 'worker.js')])
  expect(await sumOf([...parts, ...loaded])).toBeLessThanOrEqual(60_000)
})

test('the page of a message weighs at most 30 KB, however much its text grows when escaped', async () => {
  expect(heavyMessages).toHaveLength(2)
  for (const id of heavyMessages)
    expect(await weightOf(`/messages/${id}`)).toBeLessThanOrEqual(MAX_BYTES)
})

test('a question of 16 KiB of letters is shown in full, in its thread and on its own page', async () => {
  const body = incompressible(16_384)
  const { id, root } = await service.publish.investigation('river/gauge-100', { body })
  for (const path of [`/investigations/${id}`, `/messages/${root}`]) {
    expect(await textOf(path)).toContain(body)
    expect(await weightOf(path)).toBeLessThanOrEqual(MAX_BYTES)
  }
})

test('the page of a message with a thread itself takes at most 25 KB, and all answers are reached from it', async () => {
  const board = service.publish
  const answer = (to: bigint, length: number) =>
    board.message('noise', `${incompressible(length)}\n\n/messages/${to}`)
  let above = await board.message('noise', incompressible(16_000))
  for (let i = 0; i < 3; i++) above = await answer(above, 3_000)
  const middle = await answer(above, 16_000)
  const answers: bigint[] = []
  for (let i = 0; i < 12; i++) answers.push(await answer(middle, i === 0 ? 16_000 : 4_000))
  const found: bigint[] = []
  let path: string | undefined = `/messages/${middle}`
  while (path) {
    expect(await transferred(path)).toBeLessThanOrEqual(25_000)
    const page: string = await textOf(path)
    const [, below = ''] = page.split('id="answers"')
    for (const [, id] of below.matchAll(/id="message-(\d+)"/g)) found.push(BigInt(id ?? 0))
    path = /href="([^"]+)#answers" rel="next"/.exec(page)?.[1]
  }
  expect(found).toEqual(answers)
})

/** Returns the ids of the records on a page and all pages that follow it. */
async function shownFrom(path: string): Promise<number[]> {
  const page = await textOf(path)
  const shown = page.matchAll(
    /<article [^>]*id="(?:message|review)-(\d+)"|<h3><a href="\/investigations\/(\d+)"/g,
  )
  const ids = Array.from(shown, ([, record, investigation]) => Number(record ?? investigation))
  const [, next] = /<a href="([^"]+)" rel="next">(?:Earlier|Later) /.exec(page) ?? []
  return next ? [...ids, ...(await shownFrom(next))] : ids
}

const ascending = (a: number, b: number) => a - b
const descending = (a: number, b: number) => b - a

test.each([
  ['/d/river', 2 * MANY + 1, descending],
  ['/d/river?messages_after=0', 2 * MANY + 1, ascending],
  ['/investigations/1', MANY + 1, ascending],
  ['/continuity', MANY + 1, descending],
  [`/d/${LONGEST_PARENT}`, MANY + 1, descending],
])('%s and the pages that follow it show every record, in order', async (path, count, order) => {
  // Each page of a thread begins with its question.
  const shown = [...new Set(await shownFrom(path))]
  expect(shown).toEqual(shown.toSorted(order))
  expect(shown).toHaveLength(count)
})

test.each(['/investigations', '/investigations?after=0'])(
  '%s and the pages that follow it show every investigation',
  async (path) => {
    const { json } = await service.client.get('/api/v1/investigations?limit=100')
    const ids = (json as { items: { id: bigint }[] }).items.map(({ id }) => Number(id))
    expect((await shownFrom(path)).toSorted(ascending)).toEqual(ids)
  },
)
