// operator clock repair redates what a wrong clock has dated ahead (API.md 4.5 and COMMANDS.md 6.11), on either engine.
// Rules: COMMANDS.md 6.11.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql, type Transaction } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { snapshotKey } from '../../../archive/format/paths.ts'
import { lockArchive } from '../../../server/data/pipeline-lock.ts'
import type { Schema } from '../../../server/database/schema/schema.ts'
import { beginInterval, extendInterval, recordClockStep } from '../../../server/liveness/queries.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { act, operated, operator } from '../../support/operator.ts'
import { sealDays } from '../../support/sealing.ts'
import {
  clockAt,
  type SetClock,
  startTestService,
  type TestService,
} from '../../support/service.ts'

const NOW = '2026-11-05T10:00:00.000Z'
const AHEAD = '2030-01-01T00:00:00.002Z'
const STATE = { readOnly: false, disabled: [] }
const ms = (text: string) => Date.parse(text)

let clock: SetClock
let service: TestService
/** Messages 1 and 2 are the question and a result of investigation 1, which a review is about. */
beforeEach(async () => {
  clock = clockAt(NOW)
  service = await startTestService({}, clock)
  const { publish } = service
  await publish.directory('lab')
  const { id } = await publish.investigation('lab')
  const result = await publish.contribution(id)
  await operated(service, ...`review ${result} --outcome unsupported --reason r`.split(' '))
})

const change = (work: (tx: Transaction<Schema>) => Promise<unknown>) =>
  service.inDatabase(({ write }) => write(work))

/** Leaves the rows that a server without a guard writes while its clock is ahead: all records so far. */
async function dateAhead(at = AHEAD, receivedAt = at): Promise<void> {
  await change(async (tx) => {
    for (const table of ['directories', 'investigations', 'reviews'] as const)
      await sql`update ${sql.table(table)} set created_at = ${ms(at)}`.execute(tx)
    await sql`update messages set publish_at = ${ms(at)}, received_at = ${ms(receivedAt)}`.execute(
      tx,
    )
    await sql`update sequences set last = ${ms(at)} where name = 'publish_at'`.execute(tx)
  })
}

interface Repaired {
  changed: boolean
  to: string
  messages: number[]
  latest: { from: string; to: string }
  heartbeats: number
  clock_steps: number
}

const repair = async (...more: string[]): Promise<Repaired> =>
  JSON.parse(
    await operated(service, 'clock', 'repair', '--reason', 'a dead battery', '--json', ...more),
  )

const say = () => service.client.post('/api/v1/messages', { directory: 'lab', body: 'now' })
const actions = async () => JSON.parse(await operated(service, 'log', '--json')).items
/** All dates of records. */
const dates = () =>
  service.inDatabase(async ({ db }) => {
    const others = await sql<{ at: bigint }>`select created_at as at from directories
      union all select created_at from investigations union all select created_at from reviews`.execute(
      db,
    )
    const messages = await db
      .selectFrom('messages')
      .select(['received_at', 'publish_at'])
      .orderBy('id')
      .execute()
    return {
      others: others.rows.map(({ at }) => at),
      messages: messages.map(({ received_at, publish_at }) => [received_at, publish_at]),
    }
  })
const [now, ahead] = [BigInt(ms(NOW)), BigInt(ms(AHEAD))]

describe('records that lie ahead', () => {
  test('they get the present, in one action that names ids and times, and the next ones are dated after them', async () => {
    await dateAhead()
    await service.restart()
    expect((await say()).status).toBe(503)
    const repaired = await repair()
    expect(repaired).toMatchObject({
      act: 'clock',
      changed: true,
      dry_run: false,
      now: NOW,
      to: NOW,
      directories: [1],
      messages: [1, 2],
      investigations: [1],
      reviews: [1],
      latest: { from: AHEAD, to: NOW },
    })
    expect(await dates()).toEqual({
      others: [now, now, now],
      messages: [
        [now, now],
        [now, now],
      ],
    })
    const recorded = await actions()
    expect(recorded.at(-1)).toMatchObject({
      act: 'clock',
      target_kind: 'service',
      target: [
        `repair: directories 1, now ${NOW}`,
        `messages 1-2, now ${NOW}`,
        `investigations 1, now ${NOW}`,
        `reviews 1, now ${NOW}`,
        `latest time ${AHEAD}, now ${NOW}`,
      ].join('; '),
      reason: 'a dead battery',
    })
    expect(await repair()).toMatchObject({ changed: false, messages: [] })
    expect(await actions()).toEqual(recorded)
    clock.pass(1_000)
    expect(await say()).toMatchObject({
      status: 201,
      json: { publish_at: '2026-11-05T10:00:01.000Z' },
    })
    const page = await service.client.get('/messages/1.json')
    expect(page.json).toMatchObject({ publish_at: NOW })
  })

  test('a message with a receipt whose time comes within 24 h stays, and no other is dated before it', async () => {
    const [soon, late] = ['2026-11-06T09:59:59.000Z', '2026-11-06T10:00:01.000Z']
    await dateAhead(late)
    await change((tx) =>
      sql`update messages set publish_at = ${ms(soon)}, received_at = ${ms(soon)} where id = 1`.execute(
        tx,
      ),
    )
    expect(await repair()).toMatchObject({ changed: true, to: soon, messages: [2] })
    const at = BigInt(ms(soon))
    expect((await dates()).messages).toEqual(Array(2).fill([at, at]))
  })

  test('a time of receipt that does not lie ahead stays', async () => {
    await dateAhead(AHEAD, '2026-11-05T09:00:00Z')
    await repair()
    expect((await dates()).messages).toEqual(
      Array(2).fill([BigInt(ms('2026-11-05T09:00:00Z')), now]),
    )
  })

  test('--dry-run lists the same and changes nothing', async () => {
    await dateAhead()
    const before = [await dates(), await actions()]
    const { messages, latest } = await repair('--dry-run')
    expect(messages).toHaveLength(2)
    expect(latest).toEqual({ from: AHEAD, to: NOW })
    expect([await dates(), await actions()]).toEqual(before)
    const shown = await operated(service, 'clock', 'repair', '--reason', 'r', '--dry-run')
    expect(shown).toContain(`messages 1-2, now ${NOW}`)
  })

  test('a record that lies up to 60 s ahead stays, and no later one is dated before it', async () => {
    await change(async (tx) => {
      await sql`update messages set publish_at = ${ms(NOW) + 60_000} where id = 1`.execute(tx)
      await sql`update messages set publish_at = ${ms(AHEAD)} where id = 2`.execute(tx)
      await sql`update sequences set last = ${ms(AHEAD)} where name = 'publish_at'`.execute(tx)
    })
    expect(await repair()).toMatchObject({
      to: '2026-11-05T10:01:00.000Z',
      messages: [2],
      latest: { to: '2026-11-05T10:01:00.000Z' },
    })
  })

  test('an idempotency key that lies ahead expires a day later', async () => {
    const headers = { 'idempotency-key': 'k' }
    const post = () => service.client.post('/api/v1/directories', { path: 'garden' }, headers)
    expect((await post()).status).toBe(201)
    await change((tx) => sql`update idempotency_keys set created_at = ${ms(AHEAD)}`.execute(tx))
    await dateAhead()
    await repair()
    expect((await post()).status).toBe(200)
    clock.pass(24 * 3_600_000)
    expect((await post()).status).toBe(409)
  })
})

describe('heartbeats and clock steps', () => {
  test('what lies ahead is cut off', async () => {
    const [past, future] = [ms('2026-11-05T09:00:00Z'), ms(AHEAD)]
    await change(async (tx) => {
      await tx.deleteFrom('liveness').execute()
      const partly = await beginInterval(tx, 'a', past, STATE)
      await extendInterval(tx, partly, future)
      await beginInterval(tx, 'b', future, STATE)
      await recordClockStep(tx, 'a', { expectedAt: past, actualAt: future })
      await recordClockStep(tx, 'a', { expectedAt: future, actualAt: past })
      await recordClockStep(tx, 'b', { expectedAt: future, actualAt: future + 5_000 })
    })
    expect(await repair()).toMatchObject({ heartbeats: 2, clock_steps: 3 })
    const [rows, steps] = await service.inDatabase(async ({ db }) => [
      await db.selectFrom('liveness').select(['server', 'from_at', 'to_at']).execute(),
      await db
        .selectFrom('clock_steps')
        .select(['expected_at', 'actual_at'])
        .orderBy('id')
        .execute(),
    ])
    expect(rows).toEqual([{ server: 'a', from_at: BigInt(past), to_at: now }])
    expect(steps).toEqual([
      { expected_at: BigInt(past), actual_at: now },
      { expected_at: now, actual_at: BigInt(past) },
    ])
    expect((await actions()).at(-1).target).toBe(
      'repair: cut off: intervals of heartbeats: 2, clock steps: 3',
    )
  })
})

describe('days that have a snapshot', () => {
  const seal = (day: string) => sealDays(service.dataDir, [day], clock.now())

  /** Seals a day that lies ahead, while the clock is wrong. */
  async function sealAhead(day: string): Promise<void> {
    const right = new Date(clock.now()).toISOString()
    clock.step('2030-06-01T00:00:00Z')
    clock.stepDatabase('2030-06-01T00:00:00Z')
    await seal(day)
    clock.step(right)
    clock.stepDatabase(right)
  }

  test('their records stay, and later records can only be dated after them', async () => {
    await dateAhead()
    await sealAhead('2030-01-01')
    const repaired = await repair()
    expect(repaired).toMatchObject({ changed: false, messages: [] })
    expect((await dates()).messages[0]).toEqual([ahead, ahead])
    expect((await say()).status).toBe(503)
    const { clock: clocks } = JSON.parse(await operated(service, 'status', '--json'))
    expect(clocks.not_before).toBe('2030-01-02T00:00:00.000Z')
    await act(service, 'clock', 'accept')
    expect(await say()).toMatchObject({
      status: 201,
      json: { received_at: NOW, publish_at: '2030-01-02T00:00:00.000Z' },
    })
  })

  test('records of other days that lie ahead get the present, unless today has a snapshot', async () => {
    await sealAhead('2029-12-31')
    await dateAhead()
    expect(await repair()).toMatchObject({ to: NOW, latest: { to: '2030-01-01T00:00:00.000Z' } })
    await sealAhead('2026-11-05')
    await dateAhead('2031-05-05T00:00:00.000Z')
    expect(await repair()).toMatchObject({
      to: '2030-01-01T00:00:00.000Z',
      latest: { from: '2031-05-05T00:00:00.000Z', to: '2030-01-01T00:00:00.000Z' },
    })
  })

  test('a day that a run has begun counts, and so does one whose files are lost', async () => {
    await dateAhead()
    mkdirSync(join(service.archiveDir, '2030-01-01'), { recursive: true })
    writeFileSync(join(service.archiveDir, snapshotKey('2030-01-01')), '')
    expect((await repair('--dry-run')).messages).toEqual([])
    rmSync(join(service.archiveDir, '2030-01-01'), { recursive: true })
    expect((await repair('--dry-run')).messages).toHaveLength(2)
    await sealAhead('2030-01-01')
    rmSync(join(service.archiveDir, '2030-01-01'), { recursive: true })
    expect((await repair('--dry-run')).messages).toEqual([])
  })
})

describe('a repair that cannot be made', () => {
  const failed = async () => {
    const args = ['clock', 'repair', '--reason', 'r']
    const { code, out, err } = await operator(service, args)
    expect([code, out]).toEqual([1, ''])
    return err
  }

  test('it waits for no run, but exits with 1', async () => {
    await dateAhead()
    const release = lockArchive(service.archiveDir)
    expect(await failed()).toContain('another pipeline is running')
    release()
    expect((await repair()).changed).toBe(true)
  })

  test('without its archive, it does not know which days have a snapshot', async () => {
    await dateAhead()
    rmSync(service.archiveDir, { recursive: true })
    expect(await failed()).toContain(service.archiveDir)
    expect((await dates()).messages[0]).toEqual([ahead, ahead])
  })

  test.runIf(ON_POSTGRES)('a clock that the database contradicts is not the present', async () => {
    await dateAhead()
    clock.step('2026-11-07T00:00:00Z')
    expect(await failed()).toContain('by the clock of the database it is 2026-11-05T10:00')
  })
})
