// The records of a sealed day (API.md 9.18, FORMAT.md 26): what readers can see, and a leaf for what they cannot.
// Rules: FORMAT.md 18.2, 26.2; API.md 9.18.
import { beforeAll, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { messageLeaf } from '../../../archive/log/sealed-records.ts'
import { sealedRecordsOf } from '../../archive/days.ts'
import { act, operated } from '../../support/operator.ts'
import { sealDays } from '../../support/sealing.ts'
import {
  clockAt,
  type SetClock,
  startTestService,
  type TestService,
} from '../../support/service.ts'

const FIRST = '2026-11-17'
const SECOND = '2026-11-18'
const EMPTY = '2026-11-19'

let service: TestService
let clock: SetClock
/** The messages of the first day: a plain one, a question and its contribution. */
let plain: bigint
let root: bigint
let inside: bigint

beforeAll(async () => {
  clock = clockAt(`${FIRST}T08:00:00Z`)
  service = await startTestService({}, clock)
  await service.publish.directory('lab')
  await service.publish.directory('lab/inner')
  plain = await service.publish.message('lab/inner', 'plain — “words”\nof two lines')
  const sources = [{ url: 'https://example.org/a', note: 'n' }]
  const asked = await service.publish.investigation('lab', { sources, author_label: 'Ada' })
  root = asked.root
  inside = await service.publish.contribution(asked.id, {
    links: [{ message_id: root, relation: 'extends' }],
  })
  await operated(service, 'review', String(inside), ...REVIEW)
  clock.passTo(`${SECOND}T08:00:00Z`)
  await service.publish.directory('pond')
  await service.publish.message('pond', 'later')
  clock.passTo('2026-11-20T12:00:00Z')
  await sealDays(service.dataDir, [FIRST, SECOND, EMPTY], clock.now())
})

const REVIEW = ['--outcome', 'unsupported', '--reason', 'not seen']

type Line = Record<string, unknown>

const get = (day = FIRST, headers = {}) =>
  service.client.get(`/api/v1/days/${day}/records`, headers)
const recordsOf = async (day = FIRST) =>
  (await get(day)).text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
const types = (lines: Line[]) => lines.map(({ type }) => type)

test('the lines are the day, its directories, its messages and its reviews', async () => {
  const reply = await get()
  expect(reply.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
  expect(reply.headers.get('cache-control')).toBe('no-cache')
  const lines = await recordsOf()
  expect(types(lines)).toEqual([
    'day',
    'directory',
    'directory',
    'message',
    'message',
    'message',
    'review',
  ])
  const { records } = (await service.client.get(`/transmissions/${FIRST}.json`)).json as Line
  const sequences = { message: 3, investigation: 1, review: 1, action: 1 }
  expect(lines[0]).toEqual({ type: 'day', day: FIRST, records, sequences })
  expect(lines[1]).toMatchObject({ path: 'lab', author_label: '' })
})

test('a message has all that its record and its investigation say of it, and a salt of its own', async () => {
  const lines = (await recordsOf()).filter(({ type }) => type === 'message')
  const { json } = await service.client.get(`/investigations/1.json`)
  const { investigation, entries } = json as { investigation: Line; entries: Line[] }
  const salts = new Set<unknown>()
  for (const [line, entry] of [
    [lines[0], {}],
    [lines[1], investigation],
    [lines[2], entries[0]],
  ] as [Line, Line][]) {
    const record = (await service.client.get(`/messages/${line.id}.json`)).json as Line
    const { review: _, url: __, message_id: ___, ...rest } = entry
    const { type: ____, salt, ...said } = line
    expect(salt).toMatch(/^[0-9a-f]{32}$/)
    salts.add(salt)
    expect(said).toEqual(asNumbers({ ...record, ...rest }))
  }
  expect(salts.size).toBe(3)
})

const asNumbers = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item)))

test('the leaves of the lines have the root of the snapshot, also while some are hidden', async () => {
  await act(service, 'hide', 'message', plain)
  await act(service, 'hide', 'investigation', 1n)
  const lines = await recordsOf()
  expect(types(lines)).toEqual(['day', 'directory', 'directory', 'hidden', 'hidden', 'hidden'])
  const leaves = lines
    .slice(3)
    .map(({ id, leaf }) => ({ id: BigInt(id as number), leaf: Buffer.from(leaf as string, 'hex') }))
  expect(sealedRecordsOf(leaves)).toEqual((lines[0] as { records: unknown }).records)
  await act(service, 'show', 'message', plain)
  const [, , , shown] = (await recordsOf()) as { id: number; body_hash: string; salt: string }[]
  const { text: body } = await service.client.get(`/messages/${plain}.txt`)
  expect(shown?.body_hash).toBe(sha256Of(Buffer.from(body)))
  const { received_at: receivedAt, publish_at: publishAt } = (
    await service.client.get(`/messages/${plain}.json`)
  ).json as { received_at: string; publish_at: string }
  const facts = { directory: 'lab/inner', authorLabel: '', entry: null, receivedAt, publishAt }
  const { body_hash: bodyHash, salt } = shown as { body_hash: string; salt: string }
  const leaf = messageLeaf({ ...facts, id: plain, bodyHash, salt })
  expect(Buffer.from(leaf)).toEqual(leaves[0]?.leaf)
  await act(service, 'show', 'investigation', 1n)
})

test('the ETag changes exactly when the bytes do', async () => {
  const seen = new Map<string, string>()
  const note = async () => {
    const { headers, text } = await get()
    const etag = headers.get('etag') as string
    expect(etag).toMatch(/^"[^"]+"$/)
    expect((await get(FIRST, { 'if-none-match': etag })).status).toBe(304)
    if (seen.has(etag)) expect(text).toBe(seen.get(etag))
    else expect([...seen.values()]).not.toContain(text)
    seen.set(etag, text)
    return etag
  }
  const before = await note()
  await act(service, 'hide', 'message', plain)
  expect(await note()).not.toBe(before)
  await act(service, 'erase', 'message', plain)
  await note()
  expect(seen.size).toBe(2)
  await operated(service, 'review', String(inside), ...REVIEW)
  await note()
  expect(seen.size).toBe(2)
  await act(service, 'hide', 'message', inside)
  await note()
  await act(service, 'show', 'message', inside)
  await note()
  expect(seen.size).toBe(3)
})

test('the page of the day and the page of its records link to the file of its records', async () => {
  for (const path of [`/transmissions/${FIRST}`, `/transmissions/${FIRST}/records`])
    expect((await service.client.get(path)).text).toContain(`href="/api/v1/days/${FIRST}/records"`)
  const today = await service.client.get('/transmissions/2026-11-20/records')
  expect(today.status).toBe(200)
  expect(today.text).not.toContain('/api/v1/days/')
})

test('a day lists only the directories that no earlier day lists', async () => {
  const lines = await recordsOf(SECOND)
  expect(lines.filter(({ type }) => type === 'directory')).toMatchObject([{ path: 'pond' }])
  expect(lines[0]).toMatchObject({ sequences: { message: 4, investigation: 1 } })
})

test('a day without records is its first line', async () => {
  expect(await recordsOf(EMPTY)).toMatchObject([
    { type: 'day', records: { count: '0' }, sequences: { message: 4, investigation: 1 } },
  ])
})
