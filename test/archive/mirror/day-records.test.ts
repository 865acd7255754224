// Mirrors that keep the records of the days: what they contain, what they forget, and what they refuse.
// Rules: FORMAT.md 26.1-26.4; API.md 9.10, 9.18; COMMANDS.md 4.6.

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../support/listen.ts'
import { act, operated } from '../../support/operator.ts'
import { publisherOf } from '../../support/publish.ts'
import { released, temporaryFolder } from '../../support/release.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService } from '../../support/service.ts'
import { verified } from '../decoding.ts'
import { findingsIn } from '../findings.ts'
import { mirrorFrom, serveFolder } from './signed-archive.ts'

const FIRST = '2026-11-17'
const SECOND = '2026-11-18'
const REVIEW = ['--outcome', 'unsupported', '--reason', 'not seen']

/** The answer of a source that a test changes, line by line. */
type Change = (lines: string[]) => string[]

/** Passes requests on to the service, notes them, and lets a test change the lines of the first day. */
async function serveThrough() {
  const state = {
    url: '',
    requests: [] as string[],
    change: null as Change | null,
    /** Answers requests for the record of moderation. */
    record: null as ((path: string) => string) | null,
  }
  const server = createServer((incoming, outgoing) => {
    state.requests.push(incoming.url ?? '')
    if (state.record && incoming.url?.startsWith('/api/v1/moderation')) {
      outgoing.end(state.record(incoming.url))
      return
    }
    const url = service.url + incoming.url
    const sent = request(url, { headers: incoming.headers, method: incoming.method }, (answer) => {
      const { change } = state
      if (!change || !incoming.url?.endsWith(`${FIRST}/records`) || answer.statusCode !== 200) {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
        return
      }
      void answer.toArray().then((chunks) => {
        const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
        outgoing.end(
          change(lines)
            .map((line) => `${line}\n`)
            .join(''),
        )
      })
    })
    incoming.pipe(sent)
  })
  state.url = (await listen(server)).url
  return state
}

const root = temporaryFolder()
const clock = clockAt(`${FIRST}T08:00:00Z`)
const service = await startTestService({}, clock)
const publish = publisherOf(service.client)
await publish.directory('lab')
await publish.directory('lab/inner')
const one = await publish.message('lab/inner', 'the text of one')
const two = await publish.message('lab', 'two')
const { id, root: question } = await publish.investigation('lab', { title: 'a title' })
const inside = await publish.contribution(id, {
  sources: [{ url: 'https://example.org/source', note: 'a note' }],
  links: [{ message_id: question, relation: 'supports' }],
})
await operated(service, 'review', String(inside), ...REVIEW)
clock.passTo(`${SECOND}T08:00:00Z`)
await publish.message('lab', 'of the second day')
clock.passTo('2026-11-19T12:00:00Z')
await sealDays(service.dataDir, [FIRST, SECOND], clock.now(), {
  BASE_URL: 'https://board.example.org',
})
const proxy = await serveThrough()

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(root, 'mirror-'))
  proxy.requests.length = 0
})
afterEach(() => {
  proxy.change = null
  proxy.record = null
})

/** Mirrors the records of all days. */
const mirror = (source = proxy.url, folder = dir) =>
  mirrorFrom(source, folder, { selection: { records: true } })

/** Hides something at the source until the end of the test. */
async function hide(kind: 'message' | 'directory', target: bigint | string): Promise<void> {
  await act(service, 'hide', kind, target)
  released(() => act(service, 'show', kind, target))
}
const show = (target: bigint) => act(service, 'show', 'message', target)

const verify = () => verified(dir)
const file = (name: string) => readFileSync(join(dir, name), 'utf8')
const RECORDS = `${FIRST}/${FIRST}.records.ndjson`
const MODERATION = 'moderation.ndjson'
const LEAVES = `${FIRST}/${FIRST}.leaves`
const records = () => file(RECORDS)
/** The actions in the mirror. */
const actions = () => file(MODERATION).trimEnd().split('\n')
/** The id of the last but one. */
const earlierAction = () => String((JSON.parse(actions().at(-2) as string) as { id: number }).id)

/** The settings of a mirror that does not keep records. */
const withoutRecords = (settings: string) => settings.replace(/,\n {2}"records": true/, '')

/** Replaces a file of the mirror. */
function put(name: string, text: string | Uint8Array): void {
  rmSync(join(dir, name))
  writeFileSync(join(dir, name), text)
}

/** Whether a text is in any file of a mirror's folder. */
const contains = (text: string, folder = dir): boolean =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .some((path) => statSync(path).isFile() && readFileSync(path).includes(text))

describe('a mirror with records', () => {
  test('it has the records of each day as the source serves them, the record of moderation, and verifies', async () => {
    expect(await mirror()).toMatchObject({ ok: true, days: 2, records: 2, findings: [] })
    for (const day of [FIRST, SECOND])
      expect(file(`${day}/${day}.records.ndjson`)).toBe(
        (await service.client.get(`/api/v1/days/${day}/records`)).text,
      )
    expect(JSON.parse(file(MODERATION).split('\n')[0] ?? '')).toMatchObject({
      action: 'review',
      reason: 'not seen',
    })
    expect(JSON.parse(file('mirror.json'))).toMatchObject({ records: true })
    expect(await verify()).toMatchObject({ ok: true, findings: [] })
  })

  test('an update without news makes at most eight requests, and asks for no records', async () => {
    await mirror()
    proxy.requests.length = 0
    expect(await mirror()).toMatchObject({ ok: true, records: 0 })
    expect(proxy.requests.length).toBeLessThanOrEqual(8)
    expect(proxy.requests.filter((path) => path.endsWith('/records'))).toEqual([])
  })

  test('after an action it asks for every day, and fetches only those that have changed', async () => {
    await mirror()
    await hide('message', one)
    proxy.requests.length = 0
    expect(await mirror()).toMatchObject({ ok: true, records: 1 })
    expect(proxy.requests.filter((path) => path.endsWith('/records'))).toHaveLength(2)
    await show(one)
    expect(await mirror()).toMatchObject({ ok: true, records: 1 })
    expect(records()).toContain('the text of one')
  })

  test('what is hidden at the source is in no file after the next run, leftovers of a killed run included', async () => {
    await mirror()
    const left = join(dir, '.incoming', FIRST)
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, `${FIRST}.records.ndjson.part`), records())
    expect(contains('the text of one')).toBe(true)
    await hide('directory', 'lab/inner')
    expect(await mirror()).toMatchObject({ ok: true })
    expect(contains('the text of one')).toBe(false)
    expect(contains('lab/inner')).toBe(false)
    expect(await verify()).toMatchObject({ ok: true })
    await act(service, 'show', 'directory', 'lab/inner')
    await mirror()
    expect(contains('lab/inner')).toBe(true)
  })

  test('a reason that the source has blanked is in no file after the next run', async () => {
    const quoting = ['--reason', 'it quotes what was taken down']
    await operated(service, 'hide', 'message', String(one), ...quoting)
    await act(service, 'show', 'message', one)
    await mirror()
    expect(contains('it quotes what was taken down')).toBe(true)
    expect(contains('not seen')).toBe(true)
    await act(service, 'erase', 'action', earlierAction())
    await act(service, 'erase', 'review', '1')
    expect(await mirror()).toMatchObject({ ok: true })
    expect(contains('it quotes what was taken down')).toBe(false)
    expect(contains('not seen')).toBe(false)
    expect(await verify()).toMatchObject({ ok: true })
  })

  test('a record of moderation that has lost its last actions, and has given their ids again, is followed', async () => {
    await mirror()
    await hide('message', one)
    await show(one)
    const lines = file(MODERATION).trimEnd().split('\n')
    const last = JSON.parse(lines.at(-1) as string) as { id: number }
    // What a source has recorded that was restored from a backup later.
    const lost = [1, 2, 3].map((n) => ({
      ...{ ...last, id: last.id + n, action: 'mode', target_kind: 'service', target: 'open' },
      ...{ ranges: null, created_at: '2026-11-19T00:00:00.000Z' },
    }))
    put(MODERATION, [...lines, ...lost.map((one) => JSON.stringify(one)), ''].join('\n'))
    await hide('message', one)
    expect(await mirror()).toMatchObject({ ok: true, records: 1 })
    expect(contains('the text of one')).toBe(false)
    const { text } = await service.client.get('/api/v1/moderation?limit=100')
    const shown = JSON.parse(text) as { actions: object[] }
    const kept = file(MODERATION).trimEnd().split('\n')
    expect(kept.map((line) => JSON.parse(line) as object)).toEqual(shown.actions)
    expect(await mirror()).toMatchObject({ ok: true, records: 0 })
  })

  test('a damaged record of moderation in the mirror is read again from its beginning', async () => {
    await mirror()
    const before = file(MODERATION)
    for (const damage of ['{}\n', before.slice(0, -1), before + before]) {
      put(MODERATION, damage)
      expect(await mirror()).toMatchObject({ ok: true, findings: [] })
      expect(file(MODERATION)).toBe(before)
    }
  })

  test('a run that could not update a day asks for it again', async () => {
    await mirror()
    await hide('message', two)
    proxy.change = (lines) => lines.slice(0, -1)
    expect(await mirror()).toMatchObject({ ok: true })
    proxy.change = (lines) => lines.filter((line) => !line.includes('"hidden"'))
    await show(two)
    proxy.change = (lines) => lines.slice(0, 4)
    expect(await mirror()).toMatchObject({ ok: false })
    proxy.change = null
    expect(await mirror()).toMatchObject({ ok: true, records: 1 })
    expect(records()).toContain('"two"')
  })

  test('a server on the mirror answers with its records, and one that keeps none with 404', async () => {
    await mirror()
    const server = await startTestService({ ARCHIVE_DIR: dir }, clock)
    const path = `/api/v1/days/${FIRST}/records`
    const { text, headers } = await server.client.get(path)
    expect(text).toBe(records())
    const etag = { 'if-none-match': headers.get('etag') ?? '' }
    expect((await server.client.get(path, etag)).status).toBe(304)
    await hide('message', two)
    await mirror()
    expect((await server.client.get(path, etag)).text).toBe(records())
    expect(records()).not.toContain('"two"')
    await show(two)
    await server.stop()
    put('mirror.json', withoutRecords(file('mirror.json')))
    const without = await startTestService({ ARCHIVE_DIR: dir }, clock)
    expect(await without.client.get(path)).toMatchObject({ status: 404, code: 'not_found' })
  })

  test.each<[string, () => Promise<{ url: string }>]>([
    ['behind a file server', () => serveFolder(dir)],
    ['behind a service', () => startTestService({ ARCHIVE_DIR: dir }, clock)],
  ])(
    'a mirror of a mirror %s has the same records, and forgets what the source hides and blanks',
    async (where, serve) => {
      const quoting = ['--reason', `a reason that quotes ${where}`]
      await operated(service, 'hide', 'message', String(one), ...quoting)
      await act(service, 'show', 'message', one)
      await mirror()
      const server = await serve()
      const second = join(root, where)
      const update = async () =>
        expect(await mirror(server.url, second)).toMatchObject({ ok: true, findings: [] })
      const has = (text: string) => contains(text, second)
      await update()
      expect([has(`quotes ${where}`), has('the text of one')]).toEqual([true, true])
      for (const name of [RECORDS, MODERATION])
        expect(readFileSync(join(second, name), 'utf8')).toBe(file(name))
      await act(service, 'erase', 'action', earlierAction())
      await hide('message', one)
      await mirror()
      await update()
      expect([has(`quotes ${where}`), has('the text of one')]).toEqual([false, false])
    },
  )

  test('a server on the mirror shows the record of moderation of its source, to people and to programs', async () => {
    await hide('message', two)
    await mirror()
    const server = await startTestService({ ARCHIVE_DIR: dir }, clock)
    for (const query of ['?limit=100', '?after=1&limit=2']) {
      const path = `/api/v1/moderation${query}`
      expect((await server.client.get(path)).text).toBe((await service.client.get(path)).text)
    }
    const rows = async (path: string) =>
      [...(await server.client.get(path)).text.matchAll(/<tbody id="action-([0-9]+)">/g)].length
    expect(await rows('/moderation?limit=100')).toBeGreaterThan(1)
    expect(await rows(`/moderation?message=${two}`)).toBeGreaterThan(0)
    expect(await rows('/moderation?message=99')).toBe(await rows(`/moderation?message=98`))
    const { json } = await server.client.get('/api/v1/moderation?limit=100')
    const { actions } = json as { actions: { action: string; target_kind: string }[] }
    const countOn = (...kinds: string[]) =>
      actions.filter((one) => kinds.includes(one.target_kind) && one.action !== 'review').length
    expect(await rows('/moderation?directory=lab&limit=100')).toBe(countOn('directory'))
    const possible = countOn('directory', 'message')
    expect(await rows('/moderation?investigation=99&limit=100')).toBe(possible)
    expect((await server.client.get(`/transmissions/${FIRST}`)).text).toContain(
      `/api/v1/days/${FIRST}/records`,
    )
    await server.stop()
  })
})

/** Changes the line of a message. */
const edit =
  (id: bigint, change: (line: Record<string, unknown>) => object): Change =>
  (lines) =>
    lines.map((text) => {
      const line = JSON.parse(text) as Record<string, unknown>
      return line.id === Number(id) && line.type !== 'review' ? JSON.stringify(change(line)) : text
    })

const withoutMessage =
  (id: bigint): Change =>
  (lines) =>
    lines.filter((text) => !text.includes(`"type":"message","id":${id},`))

const hiding = (id: bigint): Change =>
  edit(id, () => ({ type: 'hidden', id: Number(id), leaf: '0'.repeat(64) }))

const oneMore: Change = (lines) => {
  const last = lines.findLastIndex((text) => text.includes('"type":"message"'))
  const more = { type: 'hidden', id: 99, leaf: '0'.repeat(64) }
  return lines.toSpliced(last + 1, 0, JSON.stringify(more))
}

describe('a source that serves other records than were sealed is refused', () => {
  test.each<[string, Change, string]>([
    [
      'a changed text',
      edit(one, (line) => ({ ...line, body: 'another' })),
      `message ${one}: its text does not have its body_hash`,
    ],
    [
      'another label',
      edit(two, (line) => ({ ...line, author_label: 'Eve' })),
      `message ${two}: is not as it was sealed`,
    ],
    [
      'another salt',
      edit(two, (line) => ({ ...line, salt: '0'.repeat(32) })),
      `message ${two}: is not as it was sealed`,
    ],
    [
      'another source',
      edit(inside, (line) => ({ ...line, sources: [] })),
      `message ${inside}: is not as it was sealed`,
    ],
    [
      'one message too few',
      withoutMessage(two),
      `message ${two}: is missing before message ${question}`,
    ],
    [
      'the last message too few',
      withoutMessage(inside),
      `after message ${question}: has 3 of 4 messages`,
    ],
    ['one message too many', oneMore, 'message 99: is not one of this day'],
    ['another leaf of a hidden message', hiding(two), `message ${two}:`],
    ['a line of another type', (lines) => [...lines, '{"type":"x"}'], 'line 9: type: must be'],
    ['a cut line', (lines) => [...lines.slice(0, -1), '{"type":'], 'line 8: is not compact JSON'],
    ['another day', (lines) => lines.with(0, lines[0]?.replace(FIRST, SECOND) ?? ''), 'is of'],
  ])('%s', async (_, change, message) => {
    await mirror()
    const before = records()
    await act(service, 'hide', 'message', question)
    await show(question)
    rmSync(join(dir, '.records.json'))
    proxy.change = change
    const { ok, findings } = await mirror()
    expect({ ok, findings }).toEqual({
      ok: false,
      findings: [
        {
          code: expect.stringMatching(/^(records_differ|invalid_records)$/),
          file: RECORDS,
          message: expect.stringContaining(message),
        },
      ],
    })
    expect(records()).toBe(before)
    expect(readdirSync(join(dir, '.incoming'))).toEqual([])
  })
})

/** As many ids as a page has, after one. */
const idsAfter = (id: number) => Array.from({ length: 20 }, (_, i) => id + i + 1)

/** A page of actions with these ids. */
const page = (ids: number[], reason = 'r'): string => {
  const action = { action: 'hide', target_kind: 'message', target: 1, ranges: null, reason }
  const created_at = '2026-11-19T00:00:00.000Z'
  return JSON.stringify({ actions: ids.map((id) => ({ id, ...action, created_at })) })
}

describe('a source whose record of moderation cannot be used is named, and nothing of it is kept', () => {
  test.each<[string, string, (path: string) => string, RegExp]>([
    ['no JSON', 'invalid_index', () => '<html>', /is not JSON/],
    ['null', 'invalid_index', () => 'null', /is not a page of actions/],
    ['an object without actions', 'invalid_index', () => '{}', /is not a page of actions/],
    [
      'another type',
      'invalid_index',
      () => '{"actions":[{"id":"1"}]}',
      /breaks a rule: action: id: must/,
    ],
    ['another order', 'invalid_index', () => page([2, 1]), /is not in order/],
    ['the same page again', 'invalid_index', () => page(idsAfter(0)), /is not in order/],
    [
      'pages without end',
      'too_large',
      (path) => page(idsAfter(Number(/after=([0-9]+)/.exec(path)?.[1])), 'x'.repeat(190_000)),
      /is longer than 67108864 bytes/,
    ],
  ])('%s', async (_, code, record, message) => {
    await mirror()
    const before = file(MODERATION)
    proxy.record = record
    const { ok, findings } = await mirror()
    expect({ ok, findings }).toMatchObject({
      ok: false,
      findings: [{ code, file: proxy.url, message: expect.stringMatching(message) }],
    })
    expect(file(MODERATION)).toBe(before)
  })

  test('as a file of a plain file server', async () => {
    await mirror()
    put(MODERATION, '{}\n')
    const server = await serveFolder(dir)
    const copy = mkdtempSync(join(root, 'copy-'))
    const { findings } = await mirror(server.url, copy)
    expect(findings).toMatchObject([
      { code: 'invalid_records', file: `${server.url}/moderation.ndjson` },
    ])
    expect(findings).toHaveLength(1)
  })
})

describe('verify of a mirror with records', () => {
  beforeEach(async () => {
    await mirror()
  })
  const codes = async () => findingsIn(await verify()).map(({ code }) => code)

  test.each<[string, string, (content: string) => string | Uint8Array | null, string]>([
    ['records that are not UTF-8', RECORDS, () => Buffer.of(0xff, 0x0a), 'invalid_records'],
    ['records with CR LF', RECORDS, (text) => text.replaceAll('\n', '\r\n'), 'invalid_records'],
    ['records with white space', RECORDS, (text) => text.replace('{"', '{ "'), 'invalid_records'],
    ['changed records', RECORDS, (text) => text.replace('the text', 'the lie'), 'records_differ'],
    ['missing records', RECORDS, () => null, 'missing'],
    ['leaves of other messages', LEAVES, () => `${'0'.repeat(64)}\n`.repeat(4), 'leaves_differ'],
    ['actions with CR LF', MODERATION, (text) => text.replaceAll('\n', '\r\n'), 'invalid_records'],
    ['actions in another order', MODERATION, (text) => text.repeat(2), 'invalid_records'],
    ['a damaged record of moderation', MODERATION, () => '{}\n', 'invalid_records'],
    ['a missing record of moderation', MODERATION, () => null, 'missing'],
    ['records in a mirror that does not keep them', 'mirror.json', withoutRecords, 'stray'],
  ])('verify reports %s', async (_, name, damage, code) => {
    expect(await codes()).toEqual([])
    const damaged = damage(file(name))
    if (damaged === null) rmSync(join(dir, name))
    else put(name, damaged)
    expect(new Set(await codes())).toEqual(new Set([code]))
  })

  test('a hidden message that no action explains is a note', async () => {
    await hide('message', two)
    await mirror()
    expect(await codes()).toEqual([])
    put(MODERATION, '')
    expect(await codes()).toEqual(['hidden_unexplained'])
    expect((await verify()).ok).toBe(true)
  })
})
