// A take-down as a whole (COMMANDS.md 6.4; OPERATING.md 5): after hide, erase and a stop, no
// file and no row holds anything of it, not even in later exports and backups.
// Rules: COMMANDS.md 6.4.
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { sha256Of } from '../../../archive/format/hash.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { act, operated } from '../../support/operator.ts'
import { publisherOf } from '../../support/publish.ts'
import { sealDays } from '../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../support/service.ts'

const DAY = '2026-11-18'
const WRITTEN = {
  body: 'a text that must vanish',
  author_label: 'a label that must vanish',
  title: 'a title that must vanish',
  sources: [
    { url: 'https://example.org/a-source-that-must-vanish', note: 'a note that must vanish' },
  ],
}
const KEYED = { 'idempotency-key': 'a-key' }

let service: TestService
let secrets: string[]
let root: bigint
let inside: bigint

beforeAll(async () => {
  const clock = clockAt(`${DAY}T08:00:00Z`)
  service = await startTestService({}, clock)
  const publish = publisherOf(service.client)
  await publish.directory('lab')
  const { json } = await service.client.post(
    '/api/v1/investigations',
    { directory: 'lab', ...WRITTEN },
    KEYED,
  )
  const asked = json as { id: bigint; root_message_id: bigint }
  root = asked.root_message_id
  const { body, author_label, sources } = WRITTEN
  inside = await publish.contribution(asked.id, { body, author_label, sources })
  await publish.message('lab', 'stays')
  clock.passTo('2026-11-19T12:00:00Z')
  await sealDays(service.dataDir, [DAY], clock.now())
  // Whatever keeps answers in memory or in a file has seen them.
  const paths = [`/messages/${root}`, `/investigations/${asked.id}`, '/', '/feed.atom', '/d/lab']
  for (const path of [...paths, `/transmissions/${DAY}/records`]) await service.client.get(path)
  const { text } = await service.client.get(`/api/v1/days/${DAY}/records`)
  const salts = [...text.matchAll(/"salt":"([0-9a-f]{32})"/g)].map(([, salt]) => salt as string)
  expect(salts).toHaveLength(3)
  const [{ url, note }] = sources as [{ url: string; note: string }]
  secrets = [body, sha256Of(Buffer.from(body)), author_label, WRITTEN.title, url, note]
  secrets.push(...salts.slice(0, 2))
})

const secretsIn = (bytes: Buffer | string) => secrets.filter((secret) => bytes.includes(secret))

/** The files of the data folder that hold a secret, with what they hold. */
const found = () =>
  readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' })
    .map((name): [string, string] => [name, join(service.dataDir, name)])
    .filter(([, path]) => statSync(path).isFile())
    .map(([name, path]): [string, string[]] => [name, secretsIn(readFileSync(path))])
    .filter(([, held]) => held.length > 0)

test('after hide, erase and a stop, nothing of it is in a file, a row, an export, a backup or an answer', async () => {
  const copies = join(service.dataDir, 'copies')
  mkdirSync(copies)
  await operated(service, 'export', join(copies, 'before'))
  expect(secretsIn(readFileSync(join(copies, 'before')))).toEqual(secrets)
  for (const id of [inside, root]) {
    await act(service, 'hide', 'message', id)
    await operated(service, 'erase', 'message', String(id), '--reason', 'On request.')
  }
  await operated(service, 'export', join(copies, 'after'))
  if (!ON_POSTGRES) await operated(service, 'backup', join(copies, 'after.sqlite'))
  await service.restart({}, async () => {
    const names = found().map(([name]) => name)
    expect(names).toEqual([join('copies', 'before')])
  })
  for (const path of [
    ...[`/messages/${root}`, `/messages/${inside}.json`, '/investigations/1', '/', '/feed.atom'],
    ...[`/api/v1/days/${DAY}/records`, `/transmissions/${DAY}/records`, '/moderation'],
    ...['/api/v1/moderation', '/d/lab', '/api/v1/messages'],
  ])
    expect(secretsIn((await service.client.get(path)).text), path).toEqual([])
})

test('what stays is the number, the leaf, and the action with its reason', async () => {
  const { text } = await service.client.get(`/api/v1/days/${DAY}/records`)
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string })
  expect(lines.map(({ type }) => type)).toEqual(['day', 'directory', 'hidden', 'hidden', 'message'])
  const { json } = await service.client.get('/api/v1/moderation')
  expect((json as { actions: object[] }).actions.at(-1)).toMatchObject({
    action: 'erase',
    target: root,
    reason: 'On request.',
  })
})
