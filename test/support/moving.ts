// Populates a service and records its responses, for tests that move or restore its database.
import { rmSync } from 'node:fs'
import { isPostgresUrl } from '../../server/database/postgres/url.ts'
import { demoMonth } from '../../server/demo/month.ts'
import { seedDemo } from '../../server/demo/seed.ts'
import { system } from '../../server/system/system.ts'
import type { Client, Reply } from './client.ts'
import { crawl, NOT_COMPARED } from './crawl.ts'
import { openExisting } from './database.ts'
import { operator } from './operator.ts'
import { publisherOf } from './publish.ts'
import { temporaryFolder } from './release.ts'
import { clockAt, type SetClock, startTestService, type TestService } from './service.ts'

/** The service's time until a test moves its clock. */
export const NOW = '2026-11-20T12:00:00Z'
const BASE_URL = 'https://day.example'

/** Limits that `populate` uses up in part. */
export const LIMITED = { LIMIT_MESSAGES_ORIGIN_MINUTE: '10', LIMIT_DIRECTORIES_ORIGIN_HOUR: '4' }

const KEYED = { 'idempotency-key': 'first' }
const KEYED_MESSAGE = { directory: 'moved', body: 'said once \u{1f4fb} "\\ \u2028' }

/** Fills the database with the month of the demo, and with at least one row of every kind. */
export async function populate(service: TestService): Promise<void> {
  const database = await openExisting(service.config.database)
  await seedDemo(database, demoMonth(), [], {
    now: Date.parse(NOW),
    randomHex: system.randomHex,
  })
  await database.close()
  const publish = publisherOf(service.client)
  await publish.directory('moved')
  await publish.directory('moved/below')
  await service.client.post('/api/v1/messages', KEYED_MESSAGE, KEYED)
  // The collations of languages order these differently from their bytes.
  for (const key of ['B', 'a-b', 'ab'])
    await service.client.post(
      '/api/v1/messages',
      { directory: 'moved', body: key },
      { 'idempotency-key': key },
    )
  const hidden = await publish.message('moved', 'to be hidden')
  const { id, root } = await publish.investigation('moved')
  await publish.contribution(id, { links: [{ message_id: root, relation: 'supports' }] })
  for (const words of [
    `review ${root} --outcome unsupported`,
    `hide message ${hidden}`,
    `erase message ${hidden}`,
    'hide directory moved/below',
    'feature transmissions off',
  ])
    await operateOn(service.config.database, [...words.split(' '), '--reason', 'a test'])
}

/** Runs an operator command on a database of either engine. @returns its output */
export async function operateOn(database: string, args: string[]): Promise<string> {
  const dataDir = temporaryFolder()
  const { code, out, err } = await operator({ dataDir }, args, {
    env: { DATABASE_URL: isPostgresUrl(database) ? database : `sqlite:${database}` },
  })
  // On PostgreSQL it contains timelines.json.
  rmSync(dataDir, { recursive: true })
  if (code !== 0) throw new Error(err.trim())
  return out
}

/** The key of receipts is not in the database; the first hundred messages stand for all. */
const EXCEPT = /\.receipt$|^\/(?:messages\/\d{3}|moderation\?|write\?)/

/** Returns the answers to every kind of GET, then those to a repeated message and to another one with its key. */
export async function answersOf({ url, client }: TestService): Promise<Map<string, string>> {
  const extent = {
    messages: 60,
    investigations: 8,
    days: [],
    directories: ['moved', 'moved/below'],
  }
  const answers = await crawl(url, extent, { baseUrl: BASE_URL, except: EXCEPT })
  answers.set('replay', shown(await client.post('/api/v1/messages', KEYED_MESSAGE, KEYED)))
  const other = { directory: 'moved', body: 'another' }
  answers.set('conflict', shown(await client.post('/api/v1/messages', other, KEYED)))
  return answers
}

/** Publishes a message and returns the response, which has its id and time and what is left of each limit. */
export const nextAnswer = async (client: Client): Promise<string> =>
  shown(await client.post('/api/v1/messages', { directory: 'moved', body: 'new' }))

function shown({ status, headers, text }: Reply): string {
  const fields = [...headers].filter(([field]) => !NOT_COMPARED.test(field))
  return [status, ...fields.map(([field, value]) => `${field}: ${value}`), text].join('\n')
}

/** Starts a service at NOW, with the same BASE_URL wherever its records are. */
export function startAtNow(
  env: Record<string, string>,
  clock: SetClock = clockAt(NOW),
): Promise<TestService> {
  return startTestService({ BASE_URL, ...LIMITED, ...env }, clock)
}
