// The operator's command for clocks, and what status tells of them (COMMANDS.md 6.1 and 6.10), on either engine.
// Rules: COMMANDS.md 6.10; OPERATING.md 6.1.
import { beforeEach, describe, expect, test } from 'vitest'
import { raiseFloor } from '../../../server/database/records/sequences.ts'
import { ON_POSTGRES } from '../../support/database.ts'
import { act, operated, operator } from '../../support/operator.ts'
import {
  clockAt,
  type SetClock,
  startTestService,
  type TestService,
} from '../../support/service.ts'
import { until } from '../../support/time.ts'

let clock: SetClock
let service: TestService
beforeEach(async () => {
  clock = clockAt('2026-11-05T10:00:00Z')
  service = await startTestService({}, clock)
  await service.publish.directory('lab')
})

const say = () => service.client.post('/api/v1/messages', { directory: 'lab', body: 'now' })

interface Clocks {
  ok: boolean
  machine: string
  database: string | null
  accepted_difference_ms: number | null
  latest: string | null
  not_before: string | null
  problems: string[]
}

const clocksIn = async (): Promise<Clocks> =>
  JSON.parse(await operated(service, 'status', '--json')).clock
const check = () => operator(service, ['status', '--check'])

/** Waits until the server has noted that it refuses to write. It tries a heartbeat at the change of a feature. */
async function refused(): Promise<void> {
  await act(service, 'feature', 'transmissions', 'off')
  await until(async () => (await clocksIn()).problems.some((line) => line.startsWith('server ')))
}

/** As the snapshot of a day that is not over. */
const sealUntil = (at: string) =>
  service.inDatabase(({ write }) => write((tx) => raiseFloor(tx, Date.parse(at))))

describe('the status of clocks', () => {
  test('clocks that agree are reported with their times', async () => {
    expect(await clocksIn()).toEqual({
      ok: true,
      machine: '2026-11-05T10:00:00.000Z',
      database: ON_POSTGRES ? '2026-11-05T10:00:00.000Z' : null,
      accepted_difference_ms: null,
      latest: '2026-11-05T10:00:00.000Z',
      not_before: null,
      problems: [],
    })
    expect(await check()).toMatchObject({ code: 0, err: '' })
  })

  test('a server that refuses to write is named until it writes again, and --check exits with 1', async () => {
    clock.step('2030-01-01T00:00:00Z')
    await refused()
    const { problems } = await clocksIn()
    expect(problems.at(-1)).toMatch(
      /^server [0-9a-f]{16} writes nothing: the machine's clock reads 2030-01-01/,
    )
    const { code, err } = await check()
    expect([code, err.split('\n').length]).toEqual([1, 2])
    expect(err).toContain('clocks contradict each other: ')
    clock.step('2026-11-05T10:00:00Z')
    await act(service, 'feature', 'transmissions', 'on')
    await until(async () => (await clocksIn()).ok)
    expect(await check()).toMatchObject({ code: 0, err: '' })
  })

  test('a refusal that is not repeated for 30 s is forgotten', async () => {
    clock.step('2030-01-01T00:00:00Z')
    await refused()
    clock.step('2026-11-05T10:00:00Z')
    clock.pass(30_000)
    expect((await clocksIn()).ok).toBe(false)
    clock.pass(1)
    expect((await clocksIn()).ok).toBe(true)
  })

  test('the time before which nothing can be dated is named', async () => {
    await sealUntil('2026-11-08T00:00:00Z')
    expect(await clocksIn()).toMatchObject({
      ok: false,
      latest: '2026-11-08T00:00:00.000Z',
      not_before: '2026-11-08T00:00:00.000Z',
    })
    expect(await operated(service, 'status')).toContain(
      'records can only be dated 2026-11-08 00:00:00 or later',
    )
  })
})

describe('clock accept', () => {
  const accept = () => operated(service, 'clock', 'accept', '--reason', 'set by hand', '--json')

  test('it accepts a long step at once, prints all times, and is in the log of actions', async () => {
    clock.step('2026-12-25T10:00:00Z')
    expect((await say()).status).toBe(503)
    const accepted = JSON.parse(await accept())
    expect(accepted).toMatchObject({
      act: 'clock',
      accepted: '2026-12-25T10:00:00.000Z',
      clocks: { machine: '2026-12-25T10:00:00.000Z', latest: '2026-11-05T10:00:00.000Z' },
    })
    expect(await say()).toMatchObject({
      status: 201,
      json: { publish_at: '2026-12-25T10:00:00.000Z' },
    })
    const { items } = JSON.parse(await operated(service, 'log', '--json'))
    expect(items).toMatchObject([
      {
        act: 'clock',
        target_kind: 'service',
        target: 'accept 2026-12-25T10:00:00.000Z',
        reason: 'set by hand',
      },
    ])
  })

  test('it accepts a latest record that lies ahead, after which further ones are dated like it', async () => {
    await sealUntil('2026-11-08T00:00:00Z')
    expect((await say()).status).toBe(503)
    await accept()
    expect(await say()).toMatchObject({
      status: 201,
      json: { received_at: '2026-11-05T10:00:00.000Z', publish_at: '2026-11-08T00:00:00.000Z' },
    })
    expect(await clocksIn()).toMatchObject({ ok: true, not_before: '2026-11-08T00:00:00.000Z' })
  })

  test('it outlives a restart', async () => {
    clock.step('2026-12-25T10:00:00Z')
    await sealUntil('2027-01-01T00:00:00Z')
    await accept()
    await service.restart()
    expect((await say()).status).toBe(201)
  })

  test('it needs a reason, and takes no other action', async () => {
    expect(await operator(service, ['clock', 'accept'])).toMatchObject({
      code: 2,
      err: 'operator: clock: --reason is missing; see --help\n',
    })
    expect((await operator(service, ['clock', 'set', '--reason', 'r'])).code).toBe(2)
  })

  test.runIf(ON_POSTGRES)('from then on, the difference to the database is expected', async () => {
    clock.stepDatabase('2026-11-05T13:00:00Z')
    expect((await say()).status).toBe(503)
    expect(JSON.parse(await accept()).difference_ms).toBe(3 * 3_600_000)
    expect((await say()).status).toBe(201)
    expect(await clocksIn()).toMatchObject({ ok: true, accepted_difference_ms: 3 * 3_600_000 })
    clock.stepDatabase('2026-11-05T09:00:00Z')
    expect((await say()).status).toBe(503)
    expect(await operated(service, 'clock', 'accept', '--reason', 'set by hand')).toContain(
      'is accepted as the time; the clock of the database is expected 3600 s behind it',
    )
  })
})
