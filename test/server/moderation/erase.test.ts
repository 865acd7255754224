// A take-down (COMMANDS.md 6.4, OPERATING.md 5): hide and erase remove all that the author of a message wrote, from every
// file and row, and keep its leaf (FORMAT.md 18.5).
// Rules: FORMAT.md 18.5; API.md 5.3; COMMANDS.md 6.4.
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readDayRecords } from '../../../server/data/recorded.ts'
import type { Database } from '../../../server/database/database.ts'
import { ON_POSTGRES, openExisting } from '../../support/database.ts'
import { act, operated, operator } from '../../support/operator.ts'
import { temporaryFolder } from '../../support/release.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'

const DAY = '2026-11-18'
/** Parts of everything that the authors of the erased records write. */
const SECRETS = [
  'a text that must not stay',
  'a label that must not stay',
  'a title that must not stay',
  'an-address-that-must-not-stay',
  'a note that must not stay',
]
const SOURCES = [{ url: `https://example.org/${SECRETS[3]}`, note: SECRETS[4] }]
const WRITTEN = { body: SECRETS[0], author_label: SECRETS[1] }
const KEYED = { 'idempotency-key': 'once' }

/** Publishes a plain message, a contribution and a question that consist of secrets. @returns their ids */
async function publishSecrets(service: TestService): Promise<bigint[]> {
  const { publish } = service
  const post = async (path: string, body: object) =>
    (await service.client.post(path, { ...WRITTEN, ...body }, KEYED)).json as Record<string, bigint>
  await publish.directory('lab')
  const plain = await post('/api/v1/messages', { directory: 'lab' })
  const { id, root } = await publish.investigation('lab')
  const links = [{ message_id: root, relation: 'supports' }]
  const more = { kind: 'result', sources: SOURCES, links }
  const contribution = await post(`/api/v1/investigations/${id}/contributions`, more)
  const asked = { directory: 'lab', title: SECRETS[2], sources: SOURCES }
  const question = await post('/api/v1/investigations', asked)
  return [plain.message_id, contribution.message_id, question.root_message_id] as bigint[]
}

const clock = clockAt(`${DAY}T08:00:00Z`)
const service = await startTestService({}, clock)
/** The erased messages. */
const erased = await publishSecrets(service)
await service.publish.message('lab', 'stays')
// Within the day of an idempotency key.
clock.passTo('2026-11-19T07:00:00Z')
await sealDays(service.dataDir, [DAY], clock.now())
const database = await openExisting(service.config.database)

const RECORDS = `/api/v1/days/${DAY}/records`
/** What shows messages. Whatever keeps answers in memory or in a file has seen them. */
const SHOWN = [
  ...erased.flatMap((id) => [`/messages/${id}`, `/messages/${id}.json`]),
  ...['/investigations/1', '/investigations/2', '/', '/feed.atom', '/d/lab', '/api/v1/messages'],
  ...[RECORDS, `/transmissions/${DAY}/records`, '/moderation', '/api/v1/moderation'],
]
const answers = async () => {
  const texts: string[] = []
  for (const path of SHOWN) texts.push((await service.client.get(path)).text)
  return texts.join('\n')
}
const before = await answers()

const erase = (id: bigint) => operator(service, ['erase', 'message', String(id), '--reason', 'r'])

/** All rows of the database. */
async function exportOf(service: TestService): Promise<string> {
  const dir = temporaryFolder()
  try {
    await operated(service, 'export', join(dir, 'rows'))
    return readFileSync(join(dir, 'rows'), 'utf8')
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** The records of all days. */
const recordsIn = async ({ db }: Database) =>
  (await readDayRecords(db, { from: 0, to: Date.now() + 1 })).records

/** The hashes of the texts and the salts of the erased messages, from before. */
let derived: string[] = []

const secretsIn = (text: string | Buffer) =>
  [...SECRETS, ...derived].filter((secret) => text.includes(secret))

test('a visible message is not erased', async () => {
  const { code, err } = await erase(erased[0]!)
  expect(code).toBe(1)
  expect(err).toContain('is not hidden; hide it before erasing it')
})

test('erasing messages changes no leaf of their day, and erasing them again changes nothing', async () => {
  const records = await recordsIn(database)
  const rows = await database.db
    .selectFrom('messages')
    .select(['body_hash', 'salt'])
    .where('id', 'in', erased)
    .execute()
  derived = rows.flatMap(({ body_hash, salt }) => [body_hash, salt])
  expect(secretsIn(await exportOf(service))).toEqual([...SECRETS, ...derived])
  for (const id of erased) {
    await act(service, 'hide', 'message', id)
    expect((await erase(id)).out).toContain(`message ${id} is erased`)
    expect((await erase(id)).out).toContain('already')
  }
  expect(await recordsIn(database)).toEqual(records)
})

test('no row holds anything that the author of an erased message wrote, or a hash of it', async () => {
  expect(secretsIn(await exportOf(service))).toEqual([])
  const rows = await database.db
    .selectFrom('messages')
    .leftJoin('entries', 'entries.message_id', 'messages.id')
    .select(['body', 'body_hash', 'body_bytes', 'author_label', 'salt'])
    .select(['sources', 'source_count', 'links'])
    .where('messages.id', 'in', erased)
    .orderBy('messages.id')
    .execute()
  const content = { body: '', body_hash: '', body_bytes: 0n, author_label: '', salt: '' }
  const entry = { sources: '[]', source_count: 0n, links: '[]' }
  const noEntry = { sources: null, source_count: null, links: null }
  expect(rows).toEqual([
    { ...content, ...noEntry },
    { ...content, ...entry },
    { ...content, ...entry },
  ])
  const links = await database.db.selectFrom('links').selectAll().execute()
  expect(links.filter((link) => erased.includes(link.message_id))).toEqual([])
})

test('a repeated request whose message was erased returns 409, as does any other with its key', async () => {
  for (const body of [WRITTEN.body, 'another'])
    expect(
      await service.client.post('/api/v1/messages', { ...WRITTEN, directory: 'lab', body }, KEYED),
    ).toMatchObject({
      status: 409,
      json: {
        error: {
          code: 'idempotency_conflict',
          message: 'Idempotency-Key: its message has been erased',
        },
      },
    })
})

describe('the words of an operator', () => {
  const QUOTE = 'it quotes what was taken down'
  const eraseReason = (kind: string, id: bigint) =>
    operator(service, ['erase', kind, String(id), '--reason', 'quoted'])
  const actionsOf = async () =>
    ((await service.client.get('/api/v1/moderation?limit=100')).json as { actions: Action[] })
      .actions
  interface Action {
    id: bigint
    action: string
    target_kind: string
    target: bigint
    reason: string | null
  }

  test('the reason of an action is removed, and the action stays', async () => {
    const id = await service.publish.message('lab')
    await operated(service, 'hide', 'message', String(id), '--reason', QUOTE)
    const [hidden] = (await actionsOf()).slice(-1)
    expect(hidden).toMatchObject({ action: 'hide', target: id, reason: QUOTE })
    expect((await eraseReason('action', hidden!.id)).out).toContain('has lost its reason')
    expect((await eraseReason('action', hidden!.id)).out).toContain('already')
    expect((await actionsOf()).slice(-2)).toMatchObject([
      { id: hidden!.id, action: 'hide', target: id, reason: null },
      { action: 'erase', target_kind: 'action', target: hidden!.id, reason: 'quoted' },
    ])
    expect(await exportOf(service)).not.toContain(QUOTE)
  })

  test('the reason and the evidence note of a review are removed, and the review stays', async () => {
    const { publish } = service
    const { id } = await publish.investigation('lab')
    const entry = await publish.contribution(id)
    const words = ['--reason', QUOTE, '--evidence-note', `${QUOTE}, too`]
    await operated(service, 'review', String(entry), '--outcome', 'substantiated', ...words)
    const [reviewed] = (await actionsOf()).slice(-1)
    expect(await eraseReason('action', reviewed!.id)).toMatchObject({
      code: 1,
      err: expect.stringContaining('erase that review'),
    })
    expect((await eraseReason('review', 1n)).out).toContain('has lost its reason')
    expect((await eraseReason('review', 1n)).out).toContain('already')
    const { entries } = (await service.client.get(`/investigations/${id}.json`)).json as {
      entries: { review: object }[]
    }
    expect(entries[0]!.review).toMatchObject({
      outcome: 'substantiated',
      reason: null,
      evidence_note: '',
    })
    const page = await service.client.get(`/investigations/${id}`, { accept: 'text/html' })
    expect(page.text).toContain('The reason was erased.')
    expect(await exportOf(service)).not.toContain(QUOTE)
  })

  test.each(['review', 'action'])('a missing %s has no reason to remove', async (kind) => {
    expect((await eraseReason(kind, 9999n)).err).toContain(`there is no ${kind} 9999`)
  })
})

test('an erased message cannot be shown again', async () => {
  const shown = await operator(service, ['show', 'message', String(erased[0]), '--reason', 'r'])
  expect(shown).toMatchObject({ code: 1, err: expect.stringContaining('was erased') })
})

test('no answer, no backup and, after a stop, no file of the data folder holds anything of them', async () => {
  expect(secretsIn(before)).toEqual([...SECRETS, ...derived])
  expect(secretsIn(await answers())).toEqual([])
  if (!ON_POSTGRES) {
    const copy = join(temporaryFolder(), 'copy.sqlite')
    await operated(service, 'backup', copy)
    expect(secretsIn(readFileSync(copy))).toEqual([])
  }
  await database.close()
  await service.restart({}, async () => {
    const names = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' })
    const files = names.map((name) => join(service.dataDir, name))
    expect(files.length).toBeGreaterThan(5)
    for (const file of files)
      expect(statSync(file).isFile() ? secretsIn(readFileSync(file)) : [], file).toEqual([])
  })
})

test('what stays of them is the number, the leaf, and the action with its reason', async () => {
  const { text } = await service.client.get(RECORDS)
  const types = text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type)
  expect(types).toEqual(['day', 'directory', 'hidden', 'message', 'hidden', 'hidden', 'message'])
  const { json } = await service.client.get('/api/v1/moderation?limit=100')
  const { actions } = json as {
    actions: { action: string; target_kind: string; target: bigint; reason: string }[]
  }
  const erasures = actions.filter((one) => `${one.action} ${one.target_kind}` === 'erase message')
  expect(erasures.map(({ target }) => target)).toEqual(erased)
  expect(erasures.map(({ reason }) => reason)).toEqual(['r', 'r', 'r'])
})
