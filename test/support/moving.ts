// A populated service, and all that it answers: for tests that move or restore its records.
import { sha256Of } from '../../archive/format/hash.ts'
import { demoMonth } from '../../server/demo/month.ts'
import { seedDemo } from '../../server/demo/seed.ts'
import { openStore } from '../../server/store/database.ts'
import { isPostgresUrl } from '../../server/store/postgres-url.ts'
import type { Client } from './client.ts'
import { operator } from './operator.ts'
import { publisherOf } from './publish.ts'
import { clockAt, type SetClock, startTestService, type TestService } from './service.ts'

/** When everything below happens; only a test moves the clock. */
export const NOW = '2026-11-20T12:00:00Z'

/** Limits that are half used up. */
export const LIMITED = { LIMIT_MESSAGES_ORIGIN_MINUTE: '10', LIMIT_DIRECTORIES_ORIGIN_HOUR: '4' }

const KEYED = { 'idempotency-key': 'first' }
const KEYED_MESSAGE = { directory: 'moved', body: 'said once \u{1f4fb} "\\ \u2028' }

/** A month of the demo, and on top of it something of every kind that the database holds. */
export async function populate(service: TestService): Promise<void> {
  const store = await openStore(service.config.database, { create: false })
  await seedDemo(store, demoMonth(), [], Date.parse(NOW))
  await store.close()
  const publish = publisherOf(service.client)
  await publish.directory('moved')
  await publish.directory('moved/below')
  await service.client.post('/api/v1/messages', KEYED_MESSAGE, KEYED)
  // Languages sort these otherwise than bytes do.
  for (const key of ['B', 'a-b', 'ab'])
    await service.client.post(
      '/api/v1/messages',
      { directory: 'moved', body: key },
      { 'idempotency-key': key },
    )
  const hidden = await publish.message('moved', 'to be hidden')
  const { id, root } = await publish.investigation('moved')
  await publish.contribution(id, { links: [{ message_id: root, relation: 'supports' }] })
  const { database } = service.config
  for (const words of [
    `review ${root} --outcome unsupported`,
    `hide message ${hidden}`,
    `erase message ${hidden}`,
    'hide directory moved/below',
    'feature transmissions off',
  ])
    await operateOn(database, [...words.split(' '), '--reason', 'a test'])
}

/** The operator's command on a database, whichever the run of tests is for; what it printed. */
export async function operateOn(database: string, args: string[]): Promise<string> {
  const { code, out, err } = await operator({ dataDir: '/nowhere' }, args, {
    env: { DATABASE_URL: isPostgresUrl(database) ? database : `sqlite:${database}` },
  })
  if (code !== 0) throw new Error(err.trim())
  return out
}

const PATHS = [
  '/',
  '/write',
  '/healthz',
  '/readyz',
  '/directories',
  '/d/moved',
  '/d/moved/below',
  '/investigations',
  '/continuity',
  '/transmissions',
  '/api/v1/directories?limit=100',
  '/api/v1/messages?limit=100',
  '/api/v1/messages?limit=100&directory=moved',
  '/api/v1/messages?after=50&limit=7',
  '/api/v1/investigations?limit=100',
  '/openapi.json',
  '/llms.txt',
]
const IDS = Array.from({ length: 30 }, (_, i) => i + 1)
const OF_MESSAGES = IDS.flatMap((id) => [
  `/messages/${id}`,
  `/messages/${id}.json`,
  `/messages/${id}.txt`,
])
const OF_INVESTIGATIONS = IDS.slice(0, 8).flatMap((id) => [
  `/investigations/${id}`,
  `/investigations/${id}.json`,
  `/api/v1/investigations/${id}?limit=5`,
])

/** Every kind of GET as text and as JSON, then replays and what the limits say: status, headers and bytes of each. */
export async function answersOf(client: Client): Promise<string[]> {
  const answers: string[] = []
  for (const path of [...PATHS, ...OF_MESSAGES, ...OF_INVESTIGATIONS])
    for (const accept of ['text/html', 'application/json'])
      answers.push(await answer(`${accept} ${path}`, client.get(path, { accept })))
  answers.push(await answer('replay', client.post('/api/v1/messages', KEYED_MESSAGE, KEYED)))
  const other = { directory: 'moved', body: 'another' }
  answers.push(await answer('conflict', client.post('/api/v1/messages', other, KEYED)))
  return answers
}

/** What a new message is answered: its id and time, and how much of each limit is left. */
export const nextAnswer = (client: Client): Promise<string> =>
  answer('new', client.post('/api/v1/messages', { directory: 'moved', body: 'new' }))

/** Headers that tell of the connection or the moment. */
const NOT_COMPARED = /^(?:date|connection|keep-alive|transfer-encoding)$/

async function answer(
  name: string,
  reply: Promise<{ status: number; headers: Headers; text: string }>,
): Promise<string> {
  const { status, headers, text } = await reply
  const shown = [...headers].filter(([field]) => !NOT_COMPARED.test(field))
  const fields = shown.map(([field, value]) => `${field}: ${value}`)
  return [name, status, ...fields, sha256Of(Buffer.from(text))].join('\n')
}

/** A service at NOW, whose address is the same wherever its records are. */
export function startAtNow(
  env: Record<string, string>,
  clock: SetClock = clockAt(NOW),
): Promise<TestService> {
  return startTestService({ BASE_URL: 'https://day.example', ...LIMITED, ...env }, clock)
}
