// Batches of creates: one commit for many requests, each decided separately (API.md 1.3, 4.5 and 5).
import { beforeEach, describe, expect, test } from 'vitest'
import { directoryCreation, messageCreation } from '../../../server/board/creations.ts'
import { messagesAfter } from '../../../server/board/queries.ts'
import { readConfig } from '../../../server/config.ts'
import type { Database } from '../../../server/database/database.ts'
import { DatabaseUnavailable } from '../../../server/database/errors.ts'
import { raiseFloor } from '../../../server/database/records/sequences.ts'
import {
  contributionCreation,
  investigationCreation,
} from '../../../server/investigations/creations.ts'
import { readModes } from '../../../server/modes/queries.ts'
import type { Creation, Request } from '../../../server/publishing/batch.ts'
import { hashRequest } from '../../../server/publishing/idempotency.ts'
import type { Quotas } from '../../../server/publishing/limits.ts'
import { MAX_BATCH, type Publish, startPublisher } from '../../../server/publishing/publisher.ts'
import { system } from '../../../server/system/system.ts'
import { Problem } from '../../../server/wire/problem.ts'
import { guardOf } from '../../support/clock-guard.ts'
import { openDatabaseIn } from '../../support/database.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt, type SetClock } from '../../support/service.ts'
import { until } from '../../support/time.ts'

let dir: string
let database: Database
let clock: SetClock
/** Number of transactions of the publisher, committed or rolled back. */
let writes: number
/** Why writes are refused; null while they are accepted. */
let refusal: Problem | null
beforeEach(async () => {
  dir = temporaryFolder()
  clock = clockAt('2026-11-19T10:00:00Z')
  database = await openDatabaseIn(dir, clock)
  writes = 0
  refusal = null
})

const UNLIMITED = Object.fromEntries(
  Object.keys(readConfig({}).quotas).map((name) => [name, 0]),
) as Quotas

function publisherWith(quotas: Partial<Quotas> = {}, write: Database['write'] = database.write) {
  const counting: Database = {
    ...database,
    write: (work) => {
      writes++
      return write(work)
    },
  }
  return startPublisher({
    database: counting,
    quotas: { ...UNLIMITED, ...quotas },
    clock,
    randomHex: system.randomHex,
    clockGuard: guardOf(clock),
    modes: { in: readModes },
    restoreGuard: () => refusal,
  })
}

function requestOf<Input>(creation: Creation<Input>, input: Input, key?: string): Request {
  const { limits, operation } = creation
  const keyed =
    key === undefined
      ? undefined
      : { operation, origin: 'o', key, request_hash: hashRequest(input) }
  return { creation, input, limits, origin: 'o', keyed, arrivedAt: clock.monotonic() }
}

const directory = (path: string) => requestOf(directoryCreation, { path, author_label: '' })
const message = (body: string, path = 'lab', key?: string) =>
  requestOf(messageCreation, { directory: path, body, author_label: '' }, key)

/** The outcome of each request: its status and location, or its error's code or name. */
async function settled(publish: Publish, requests: Request[]): Promise<string[]> {
  const results = await Promise.allSettled(requests.map((request) => publish(request)))
  return results.map((result) => {
    if (result.status === 'fulfilled') return `${result.value.status} ${result.value.location}`
    return result.reason.code ?? result.reason.name
  })
}

const bodies = async () =>
  (await messagesAfter(database.db, { after: 0n, limit: 100 })).map(({ body }) => body)

describe('batches of requests', () => {
  test('at most 200 requests share a commit', async () => {
    const publish = publisherWith()
    await publish(directory('lab'))
    writes = 0
    const requests = Array.from({ length: 2 * MAX_BATCH + 50 }, (_, i) => message(`${i}`))
    const outcomes = await settled(publish, requests)
    expect(outcomes).toEqual(requests.map((_, i) => `201 /messages/${i + 1}`))
    expect(writes).toBe(3)
  })

  test('a request sees what earlier requests of its batch have added', async () => {
    const investigation = requestOf(investigationCreation, {
      ...{ directory: 'lab/deep', title: 't', body: 'q', author_label: '', sources: [] },
    })
    const contribution = (to: bigint) =>
      requestOf(contributionCreation, {
        investigation: 1n,
        contribution: {
          ...{ kind: 'result', body: 'r', author_label: '', sources: [] },
          links: [{ message_id: to, relation: 'extends' }],
        },
      })
    const requests = [
      message('too early'),
      directory('lab'),
      directory('lab'),
      directory('lab/deep'),
      message('m'),
      investigation,
      contribution(2n),
      contribution(4n),
      contribution(3n),
    ]
    expect(await settled(publisherWith(), requests)).toEqual([
      'directory_not_found',
      '201 /d/lab',
      'directory_exists',
      '201 /d/lab/deep',
      '201 /messages/1',
      '201 /investigations/1',
      '201 /messages/3',
      'link_not_found',
      '201 /messages/4',
    ])
    expect(writes).toBe(1)
  })

  test('only published requests count towards a limit, in their order', async () => {
    const publish = publisherWith({ messages_origin_minute: 3 })
    await publish(directory('lab'))
    const outcomes = await settled(publish, [
      message('nowhere', 'none'),
      message('1', 'lab', 'k'),
      message('1', 'lab', 'k'),
      message('other', 'lab', 'k'),
      message('2'),
      message('3'),
      message('4'),
      message('1', 'lab', 'k'),
    ])
    expect(outcomes).toEqual([
      'directory_not_found',
      '201 /messages/1',
      '200 /messages/1',
      'idempotency_conflict',
      '201 /messages/2',
      '201 /messages/3',
      'rate_limited',
      '200 /messages/1',
    ])
  })
})

describe('failing batches', () => {
  test('while a guard refuses writes, every request of a batch gets its reason', async () => {
    const publish = publisherWith()
    await publish(directory('lab'))
    refusal = new Problem('storage_unavailable', 'not now')
    const outcomes = await settled(publish, [message('a'), message('b', 'lab', 'k')])
    expect(outcomes).toEqual(['storage_unavailable', 'storage_unavailable'])
    refusal = null
    expect(await settled(publish, [message('c', 'lab', 'k')])).toEqual(['201 /messages/1'])
    expect(await bodies()).toEqual(['c'])
  })

  test('a failing batch is retried one by one, so that only the faulty request fails', async () => {
    const publish = publisherWith()
    await publish(directory('lab'))
    const faulty: Request = {
      ...message('x'),
      creation: {
        ...messageCreation,
        needs: () => ({}),
        publish: () => {
          throw new TypeError('a mistake')
        },
      },
    }
    const outcomes = await settled(publish, [message('a'), faulty, message('b')])
    expect(outcomes).toEqual(['201 /messages/1', 'TypeError', '201 /messages/2'])
    expect(await bodies()).toEqual(['a', 'b'])
  })

  test('a batch that fails at its commit writes nothing and rejects every request', async () => {
    let answered = 0
    const publish = publisherWith({}, (work) =>
      database.write(async (tx, opening) => {
        await work(tx, opening)
        expect(answered).toBe(0)
        throw Object.assign(new Error('disk full'), { errcode: 13 })
      }),
    )
    const requests = [directory('a'), directory('b')]
    const outcomes = await Promise.allSettled(
      requests.map((request) => publish(request).then(() => answered++)),
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(writes).toBe(1)
    const rows = await database.db.selectFrom('directories').select('id').execute()
    expect(rows).toEqual([])
  })

  test('a request whose commit failed has used neither its key nor its limit', async () => {
    const quotas = { messages_origin_minute: 1 }
    const failing = publisherWith(quotas, (work) =>
      database.write(async (tx, opening) => {
        await work(tx, opening)
        throw new Error('the power failed')
      }),
    )
    await publisherWith()(directory('lab'))
    const request = message('a', 'lab', 'k')
    expect(await settled(failing, [request])).toEqual(['Error'])
    expect(await settled(publisherWith(quotas), [request])).toEqual(['201 /messages/1'])
    expect(await settled(publisherWith(quotas), [request, message('b')])).toEqual([
      '200 /messages/1',
      'rate_limited',
    ])
  })
})

test('requests that wait for 5 s behind a batch that does not end are rejected, and the others go on', async () => {
  const hung = Promise.withResolvers<void>()
  let isFirst = true
  const write: Database['write'] = async (work) => {
    if (isFirst) {
      isFirst = false
      await hung.promise
    }
    return database.write(work)
  }
  const publish = publisherWith({}, write)
  const first = publish(directory('first'))
  await until(() => !isFirst)
  const early = publish(directory('early'))
  clock.pass(5_000)
  const late = publish(directory('late'))
  clock.pass(1)
  await expect(early).rejects.toThrow(DatabaseUnavailable)
  hung.resolve()
  expect((await Promise.all([first, late])).map(({ status }) => status)).toEqual([201, 201])
})

describe('the time of publication', () => {
  const timesOf = async (request: Request) => {
    const { answer } = await publisherWith()(request)
    const { received_at, publish_at } = JSON.parse(answer) as Record<string, string>
    return [received_at, publish_at]
  }

  test('publish_at never goes back, even if the clock does', async () => {
    await publisherWith()(directory('lab'))
    await timesOf(message('a'))
    clock.step('2026-11-19T09:59:30.000Z')
    expect(await timesOf(message('b'))).toEqual([
      '2026-11-19T09:59:30.000Z',
      '2026-11-19T10:00:00.000Z',
    ])
  })

  test('publish_at is not below the floor of a fixed snapshot', async () => {
    await publisherWith()(directory('lab'))
    await database.write((tx) => raiseFloor(tx, Date.parse('2026-11-19T10:00:45Z')))
    expect(await timesOf(message('a'))).toEqual([
      '2026-11-19T10:00:00.000Z',
      '2026-11-19T10:00:45.000Z',
    ])
    const { answer } = await publisherWith()(directory('lab/later'))
    expect(JSON.parse(answer)).toMatchObject({ created_at: '2026-11-19T10:00:45.000Z' })
  })

  test('received_at is the time of receipt, even if the clock was set before the commit', async () => {
    await publisherWith()(directory('lab'))
    const request = message('a')
    clock.pass(5_000)
    clock.step('2026-11-19T10:00:35.000Z')
    expect(await timesOf(request)).toEqual(['2026-11-19T10:00:30.000Z', '2026-11-19T10:00:35.000Z'])
  })
})

test('an id beyond the end of the sequence fails and is not rounded', async () => {
  const publish = publisherWith()
  await publish(directory('lab'))
  await database.write((tx) =>
    tx
      .updateTable('sequences')
      .set({ last: 9223372036854775806n })
      .where('name', '=', 'message')
      .execute(),
  )
  expect(await settled(publish, [message('last'), message('beyond'), directory('a')])).toEqual([
    '201 /messages/9223372036854775807',
    'DatabaseUnavailable',
    '201 /d/a',
  ])
  expect(await bodies()).toEqual(['last'])
})
