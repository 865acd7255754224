// operator import DIR: a board from a mirror with records alone answers as its source did (API.md 10.17).
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordsKey } from '../../archive/format/paths.ts'
import { prepareFolder } from '../../archive/mirror/folder.ts'
import { mirrorArchive } from '../../archive/mirror/mirror.ts'
import { openDatabase } from '../../server/database/open.ts'
import { checkMirror, importMirror } from '../../server/operator/import-mirror.ts'
import { system } from '../../server/system.ts'
import { emptyDatabase } from '../support/database.ts'
import { act, operated, operator } from '../support/operator.ts'
import { publisherOf } from '../support/publish.ts'
import { random } from '../support/random.ts'
import { sealDays } from '../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../support/service.ts'

const DAYS = ['2026-11-16', '2026-11-17', '2026-11-18']
const NOW = '2026-11-19T12:00:00Z'
const URL = { BASE_URL: 'https://board.example.org' }
const KINDS = ['observation', 'attempt', 'correction', 'result', 'reuse'] as const
const RELATIONS = { correction: 'corrects', reuse: 'reuses' } as Record<string, string>

let root: string
let source: TestService
let dir: string
/** What the source answered at the last update. */
let answers: Map<string, string>

/** Publishes three days of records of all kinds, hides and erases some of them, and seals the days. */
async function writeHistory(service: TestService, clock: ReturnType<typeof clockAt>) {
  const publish = publisherOf(service.client)
  const chance = random(21)
  const one = <T>(items: readonly T[]): T => items[Math.floor(chance.uniform() * items.length)] as T
  const paths = ['a', 'a/b', 'a/b/c', 'd', 'a.b', 'a-b']
  const messages: bigint[] = []
  const investigations: bigint[] = []
  const hide = (kind: string, id: bigint | string) => act(service, 'hide', kind, id)
  for (const [i, day] of DAYS.entries()) {
    clock.passTo(`${day}T08:00:00Z`)
    for (const path of paths.slice(2 * i, 2 * i + 2)) await publish.directory(path)
    const known = paths.slice(0, 2 * i + 2)
    for (let n = 0; n < 12; n += 1) {
      clock.pass(60_000)
      const mention = messages.length > 0 ? ` see /messages/${one(messages)}` : ''
      messages.push(await publish.message(one(known), `text ${n} “é” \u{1f4fb}\n${mention}`))
      if (n % 4 === 0) {
        const sources = [{ url: `https://example.org/${n}`, note: 'n' }, { url: 'http://x/' }]
        const asked = await publish.investigation(one(known), { title: `t ${n}`, sources })
        investigations.push(asked.id)
        messages.push(asked.root)
      }
      if (n % 3 === 0) {
        const kind = one(KINDS)
        const links = [{ message_id: one(messages), relation: RELATIONS[kind] ?? 'extends' }]
        messages.push(await publish.contribution(one(investigations), { kind, links }))
      }
    }
  }
  const reviewable = async () => {
    const { json } = await service.client.get(`/investigations/${investigations[0]}.json`)
    return (json as { investigation: { message_id: bigint } }).investigation.message_id
  }
  const review = async (outcome: string) =>
    operated(
      service,
      ...['review', String(await reviewable()), '--outcome', outcome, '--reason', 'why'],
    )
  await review('unsupported')
  await review('withdrawn')
  clock.passTo(NOW)
  await hide('message', messages[3] as bigint)
  await hide('message', messages[4] as bigint)
  await operated(service, 'erase', 'message', String(messages[4]), '--reason', 'asked')
  await hide('directory', 'a/b/c')
  await hide('investigation', investigations[2] as bigint)
  await hide('message', messages[8] as bigint)
  await act(service, 'show', 'message', messages[8] as bigint)
  await operated(service, 'mode', 'read-only', '--reason', 'a pause')
  await operated(service, 'mode', 'open', '--reason', 'over')
  return { last: messages.at(-1) as bigint, investigations }
}

/** Every public address of records, lists, feeds and proofs. */
function addresses(last: bigint, investigations: readonly bigint[]): string[] {
  const ids = Array.from({ length: Number(last) + 2 }, (_, i) => i + 1)
  return [
    ...['/directories', '/d/a', '/d/a/b', '/d/a/b/c', '/d/d', '/d/a.b', '/d/system/hidden'],
    ...['/api/v1/directories?limit=100', '/api/v1/messages?limit=100', '/api/v1/messages?after=20'],
    ...['/api/v1/messages?directory=a', '/api/v1/messages?directory=a/b', '/feed.atom'],
    ...['/feed.atom?directory=a', '/api/v1/investigations?limit=100', '/investigations'],
    ...['/continuity', '/moderation', '/api/v1/moderation?limit=100'],
    ...ids.flatMap((id) =>
      ['', '.json', '.txt', '.proof.json'].map((end) => `/messages/${id}${end}`),
    ),
    ...investigations.flatMap((id) =>
      ['', '.json', '.json?after=9&limit=3', '.atom'].map((end) => `/investigations/${id}${end}`),
    ),
    ...DAYS.flatMap((day) => [
      `/api/v1/days/${day}/records`,
      `/transmissions/${day}/records`,
      `/transmissions/${day}.json`,
    ]),
  ]
}

async function answersOf(service: TestService, paths: readonly string[]) {
  const found = new Map<string, string>()
  for (const path of paths)
    for (const accept of ['application/json', 'text/html']) {
      const { status, headers, text } = await service.client.get(path, { accept })
      const type = headers.get('content-type')
      found.set(`${accept} ${path}`, [status, type, headers.get('etag'), text].join('\n'))
    }
  return found
}

let paths: string[]
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'from-mirror-'))
  const clock = clockAt(`${DAYS[0]}T00:00:01Z`)
  source = await startTestService(URL, clock)
  const { last, investigations } = await writeHistory(source, clock)
  await sealDays(source.dataDir, DAYS, clock.now(), URL)
  paths = addresses(last, investigations)
  answers = await answersOf(source, paths)
  dir = join(root, 'mirror')
  await prepareFolder(dir)
  const selection = { records: true } as const
  const report = await mirrorArchive({ source: source.url, dir, selection, keys: null, jobs: 2 })
  expect(report).toMatchObject({ ok: true, words: DAYS.length })
})
afterAll(async () => {
  await source.stop()
  rmSync(root, { recursive: true })
})

/** Copies the archive out of a mirror, as OPERATING.md says. */
function restoreArchive(to: string): void {
  cpSync(dir, to, {
    recursive: true,
    filter: (path) =>
      !/mirror\.json$|moderation\.ndjson$|\.records\.(nd)?json$|\.staging/.test(path),
  })
}

const progress = { show() {}, clear() {} }

describe('a board from a mirror', () => {
  test('it answers every public GET byte for byte as its source did, goes on with the next id, and seals new days', async () => {
    const clock = clockAt(NOW)
    const board = await startTestService(URL, clock)
    await board.restart({}, async () => {
      await emptyDatabase(board.dataDir)
      const out = await operated(board, 'import', dir, '--json')
      expect(JSON.parse(out)).toMatchObject({ days: DAYS.length, newest: DAYS.at(-1) })
      rmSync(board.archiveDir, { recursive: true, force: true })
      restoreArchive(board.archiveDir)
      cpSync(join(source.dataDir, 'signing.key'), join(board.dataDir, 'signing.key'))
    })
    const found = await answersOf(board, paths)
    const differing = [...answers].filter(([path, answer]) => found.get(path) !== answer)
    expect(differing.map(([path]) => path)).toEqual([])
    expect(found.size).toBeGreaterThan(400)
    const { message } = (await checkMirror(dir, progress)).newest.sequences
    expect(await publisherOf(board.client).message('a', 'after all')).toBe(message + 1n)
    clock.passTo('2026-11-20T12:00:00Z')
    await sealDays(board.dataDir, ['2026-11-19'], clock.now(), URL)
    const { json } = await board.client.get('/transmissions/2026-11-19.json')
    expect(json).toMatchObject({ records: { count: '1', first_message_id: String(message + 1n) } })
    await board.stop()
  })

  test('an interrupted import is resumed, and another mirror is rejected meanwhile', async () => {
    const board = await startTestService(URL, clockAt(NOW))
    await board.restart({}, async () => {
      await emptyDatabase(board.dataDir)
      const options = { clock: system.clock, create: false }
      const database = await openDatabase(board.config.database, { ...options, forImport: true })
      const mirror = await checkMirror(dir, progress)
      let batches = 0
      const killed = {
        ...database,
        write: ((work) => {
          if (batches === 2) throw new Error('killed')
          batches += 1
          return database.write(work)
        }) as typeof database.write,
      }
      const small = { name: 'board', progress, batchLines: 10 }
      await expect(importMirror(killed, mirror, small)).rejects.toThrow('killed')
      const other = { ...mirror, sha256: '0' }
      await expect(importMirror(database, other, small)).rejects.toThrow('unfinished import')
      await importMirror(database, mirror, small)
      await expect(importMirror(database, mirror, small)).rejects.toThrow('is not empty')
      await database.close()
      rmSync(board.archiveDir, { recursive: true, force: true })
      restoreArchive(board.archiveDir)
    })
    expect(await answersOf(board, paths)).toEqual(answers)
    await board.stop()
  })

  test.each<[string, (copy: string) => void, RegExp]>([
    [
      'changed words',
      (copy) => {
        const file = join(copy, recordsKey(DAYS[1] as string))
        const text = readFileSync(file, 'utf8').replace('text 1 ', 'lie 1 ')
        rmSync(file)
        writeFileSync(file, text)
      },
      /2026-11-17\.records\.ndjson: message [0-9]+: its text does not have its body_hash/,
    ],
    [
      'a mirror without records',
      (copy) => rmSync(join(copy, 'mirror.json')),
      /is not a mirror that keeps the words of the days/,
    ],
  ])('%s are rejected before the database is opened', async (_, damage, message) => {
    const copy = join(root, `copy-${Math.abs(message.source.length)}`)
    cpSync(dir, copy, { recursive: true })
    damage(copy)
    const { code, err } = await operator({ dataDir: join(root, 'none') }, ['import', copy])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) })
  })
})
