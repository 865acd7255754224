// A server whose clock is wrong dates nothing, on either engine.
// Rules: OPERATING.md 6.1-6.2.
import { beforeEach, describe, expect, test } from 'vitest'
import { beginInterval, extendInterval } from '../../../server/liveness/queries.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { act, operated, operator } from '../../support/operator.ts'
import { CREATES, KINDS } from '../../support/publish.ts'
import {
  clockAt,
  type SetClock,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { until } from '../../support/time.ts'

const HOUR_MS = 60 * 60 * 1000

let clock: SetClock
let service: TestService
let result: bigint
beforeEach(async () => {
  clock = clockAt('2026-11-05T10:00:00Z')
  service = await startTestService({}, clock)
  const { publish } = service
  await publish.directory('lab')
  const { id } = await publish.investigation('lab')
  result = await publish.contribution(id)
})

const say = () => service.client.post('/api/v1/messages', { directory: 'lab', body: 'now' })
const review = () =>
  operator(service, ['review', String(result), '--outcome', 'unsupported', '--reason', 'r'])
const healthOf = async (path: string) => (await service.client.get(path)).json
/** The lines of the log at level 50. */
const errors = () =>
  service.complaints
    .map((line) => JSON.parse(line) as { level: number; msg: string })
    .flatMap(({ level, msg }) => (level === 50 ? [msg] : []))

const REFUSED = { status: 503, code: 'storage_unavailable' }

describe('a clock that is ahead', () => {
  test('no create succeeds, reads do, and once it is right nothing has been dated wrong', async () => {
    clock.step('2030-01-01T00:00:00Z')
    for (const kind of KINDS) {
      const reply = await service.client.post(...CREATES[kind]())
      expect(reply).toMatchObject(REFUSED)
      expect(reply.headers.get('retry-after')).toBe('30')
      expect(reply.message).toContain('the clock of this server is wrong')
    }
    expect((await service.client.get('/api/v1/messages')).status).toBe(200)
    clock.step('2026-11-05T10:00:20Z')
    clock.stepDatabase('2026-11-05T10:00:20Z')
    const reply = await say()
    expect(reply).toMatchObject({ status: 201, json: { publish_at: '2026-11-05T10:00:20.000Z' } })
  })

  test('the log names the times at once and after an hour, and then tells that the clock is right', async () => {
    clock.step('2030-01-01T00:00:00Z')
    for (let i = 0; i < 3; i++) await say()
    expect(errors()).toHaveLength(1)
    expect(errors()[0]).toContain('clock reads 2030-01-01T00:00:00.000Z')
    expect(errors()[0]).toContain('by the time since boot it is 2026-11-05T10:00:00.000Z')
    clock.pass(HOUR_MS - 1)
    await say()
    expect(errors()).toHaveLength(1)
    clock.pass(1)
    await say()
    expect(errors()).toHaveLength(2)
    expect(errors()[1]).toContain('clock reads 2030-01-01T01:00:00.000Z')
    clock.step('2026-11-05T11:00:00Z')
    expect((await say()).status).toBe(201)
    expect(service.complaints.at(-1)).toContain('the clock is right again, and writes go on')
  })

  test('health, readiness, metrics and pages say that the clock is wrong', async () => {
    expect(await healthOf('/healthz')).toMatchObject({ clock: 'ok' })
    clock.step('2030-01-01T00:00:00Z')
    await say()
    const health = { status: 'ok', database: 'ok', archive: 'ok', clock: 'wrong' }
    for (const path of ['/healthz', '/readyz']) expect(await healthOf(path)).toMatchObject(health)
    for (const path of ['/', '/write', '/d/lab', '/investigations/1'])
      expect((await service.client.get(path)).text).toContain('The clock of this service is wrong')
    expect((await service.client.get('/transmissions')).text).toContain('Writing is closed')
    clock.step('2026-11-05T10:00:00Z')
    await say()
    expect(await healthOf('/healthz')).toMatchObject({ clock: 'ok' })
    expect((await service.client.get('/')).text).not.toContain('is wrong')
  })

  test('the actions of the operator go on, but a review does not', async () => {
    clock.step('2030-01-01T00:00:00Z')
    const why = ['--reason', 'r']
    await operated(service, 'hide', 'message', String(result), ...why)
    await operated(service, 'show', 'message', String(result), ...why)
    await act(service, 'feature', 'transmissions', 'off')
    // The server writes a heartbeat at the change of mode, and so notes for commands that it refuses to.
    await act(service, 'mode', 'read-only')
    await until(async () => (await review()).code === 1)
    await operated(service, 'hide', 'message', '1', ...why)
    await operated(service, 'erase', 'message', '1', ...why)
    const { code, out, err } = await review()
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^operator: clocks contradict each other: .*clock reads 2030-01-01T/)
    expect(err.split('\n')).toHaveLength(2)
  })

  test('a restarted server refuses what lies ahead, until the operator accepts it', async () => {
    await service.inDatabase((database) =>
      database.write((tx) =>
        tx
          .updateTable('sequences')
          .set({ last: Date.parse('2030-01-01T00:00:00Z') })
          .where('name', '=', 'publish_at')
          .execute(),
      ),
    )
    await service.restart()
    expect(errors().at(-1)).toContain('the latest record is dated 2030-01-01T00:00:00.000Z')
    expect(await say()).toMatchObject(REFUSED)
    expect((await review()).err).toContain('the latest record is dated 2030-01-01T00:00:00.000Z')
  })
})

describe('heartbeats of other servers', () => {
  test('a heartbeat that lies ahead is named in the log, and closes nobody else', async () => {
    await service.inDatabase((database) =>
      database.write(async (tx) => {
        const from = Date.parse('2026-11-05T09:00:00Z')
        const id = await beginInterval(tx, 'badclock', from, { readOnly: false, disabled: [] })
        await extendInterval(tx, id, Date.parse('2099-11-03T00:00:00Z'))
      }),
    )
    await service.restart()
    const lines = errors().filter((line) => line.includes('badclock'))
    // One by the server that stops, one by the one that starts.
    expect(lines).toHaveLength(2)
    expect(lines[1]).toContain('2099-11-03T00:00:00.000Z')
    expect((await say()).status).toBe(201)
  })
})

describe.runIf(ON_POSTGRES)('the clock of the database', () => {
  test('a server that starts with a clock ahead of the database refuses to write', async () => {
    clock.step('2026-11-05T11:30:00Z')
    await service.restart()
    expect(await say()).toMatchObject(REFUSED)
    expect(errors().at(-1)).toContain('by the clock of the database it is 2026-11-05T10:00')
    expect((await review()).code).toBe(1)
    clock.step('2026-11-05T10:00:30Z')
    await say()
    clock.pass(61_000)
    expect((await say()).status).toBe(201)
  })

  test('a database whose clock jumps is not followed, however long it stays so', async () => {
    clock.stepDatabase('2026-11-05T12:00:00Z')
    expect(await say()).toMatchObject(REFUSED)
    clock.pass(48 * HOUR_MS)
    expect(await say()).toMatchObject(REFUSED)
  })

  test('a server with a wrong clock does not close the one beside it', async () => {
    const { database } = service.config
    const wrong = clockAt('2027-01-01T00:00:00Z')
    wrong.stepDatabase('2026-11-05T10:00:00Z')
    const other = await startTestService({ DATABASE_URL: database }, wrong)
    const path = '/api/v1/messages'
    expect(await other.client.post(path, { directory: 'lab', body: 'b' })).toMatchObject(REFUSED)
    expect((await say()).status).toBe(201)
    expect((await review()).code).toBe(0)
  })
})
