// Which due days a run holds back, because nothing shows that they are over (COMMANDS.md 2.3).
// Rules: FORMAT.md 6.1; COMMANDS.md 2.3.
import { beforeEach, describe, expect, it, test } from 'vitest'
import { daySpan } from '../../../archive/format/calendar.ts'
import { holdBack } from '../../../pipeline/days/ready-days.ts'
import { takeSnapshot } from '../../../pipeline/days/snapshot.ts'
import type { Run } from '../../../pipeline/run/session.ts'
import { fixDay } from '../../../pipeline/sealing/fix-snapshot.ts'
import {
  type Acceptance,
  acceptance,
  noteServerClock,
} from '../../../server/database/settings/clock-settings.ts'
import { clockAt, type SetClock } from '../../support/service.ts'
import { workshopForEach } from '../workshop.ts'

const DAYS = ['2026-11-10', '2026-11-11', '2026-11-12', '2026-11-13']
const NO_HEARTBEAT = 'no server has written a heartbeat on this day or later'

const workshop = workshopForEach()
let clock: SetClock
let pipeline: Run
beforeEach(async () => {
  clock = clockAt('2026-11-14T00:06:00Z')
  pipeline = await workshop.pipeline({}, { clock })
})

const at = (text: string) => Date.parse(text)
const held = (areNamed = false) => holdBack(pipeline, DAYS, areNamed)

describe('days without a heartbeat', () => {
  it('days after the newest heartbeat wait, in one line', async () => {
    await workshop.records.alive(at('2026-11-10T00:00:00Z'), at('2026-11-10T17:00:00Z'))
    expect(await held()).toEqual({
      days: ['2026-11-10'],
      held: {
        day: '2026-11-11',
        status: 'waiting',
        message: `${NO_HEARTBEAT}; as for 2 more, up to 2026-11-13`,
      },
    })
  })

  it('a later heartbeat of any server shows that all earlier days are over', async () => {
    await workshop.records.alive(at('2026-11-14T00:00:00Z'), at('2026-11-14T00:00:00Z'))
    expect(await held()).toEqual({ days: DAYS, held: null })
  })

  it('a heartbeat that lies ahead shows nothing', async () => {
    await workshop.records.alive(at('2026-11-12T00:00:00Z'), at('2026-11-12T00:00:00Z'))
    await workshop.records.alive(at('2030-01-01T00:00:00Z'), at('2030-01-01T08:00:00Z'))
    expect((await held()).days).toEqual(['2026-11-10', '2026-11-11', '2026-11-12'])
  })

  it('a database without heartbeats holds back every day', async () => {
    expect((await held()).days).toEqual([])
  })

  it('days that the operator names need no heartbeat', async () => {
    expect(await held(true)).toEqual({ days: DAYS, held: null })
  })

  it('a day whose snapshot is fixed is completed', async () => {
    await fixDay(pipeline, '2026-11-12')
    expect((await held()).days).toEqual(['2026-11-12'])
  })
})

describe('the clock of the database', () => {
  beforeEach(async () => {
    await workshop.records.alive(at('2026-11-14T00:00:00Z'), at('2026-11-14T00:00:00Z'))
    pipeline.database = { ...pipeline.database, databaseTime: async () => clock.ofDatabase(0) }
  })

  it('a day that is not over by it waits, and fails if the operator has named it', async () => {
    clock.stepDatabase('2026-11-13T23:58:59.999Z')
    const message = 'it has not ended by the clock of the database'
    const days = DAYS.slice(0, 3)
    const day = '2026-11-13'
    expect(await held()).toEqual({ days, held: { day, status: 'waiting', message } })
    expect(await held(true)).toEqual({ days, held: { day, status: 'failed', message } })
    clock.stepDatabase('2026-11-14T00:00:00Z')
    expect(await held()).toEqual({ days: DAYS, held: null })
  })

  it('a run waits for it if it is behind by milliseconds', async () => {
    const times = [at('2026-11-13T23:59:59.995Z'), at('2026-11-14T00:00:00Z')]
    pipeline.database = { ...pipeline.database, databaseTime: async () => times.shift() ?? null }
    expect(await held()).toEqual({ days: DAYS, held: null })
    expect(times).toEqual([])
  })

  it('a difference that the operator has accepted is taken into account', async () => {
    clock.stepDatabase('2026-11-13T21:06:00Z')
    expect((await held()).held).not.toBeNull()
    const wall = clock.now()
    const accepted: Acceptance = {
      id: '1',
      wall,
      sinceBoot: clock.sinceBoot(),
      database: clock.ofDatabase(0),
      latest: wall,
    }
    await workshop.database.write((tx) => acceptance.write(tx, accepted))
    expect(await held()).toEqual({ days: DAYS, held: null })
  })
})

test('days that are not over by the clock of a running server wait, unless they are named', async () => {
  await workshop.records.alive(at('2026-11-14T00:00:00Z'), at('2026-11-14T00:00:00Z'))
  const note = (wall: number, believed: number, reason: string | null) =>
    workshop.database.write((tx) =>
      noteServerClock(tx, {
        server: 'a',
        wall,
        believed,
        sinceBoot: clock.sinceBoot(),
        database: null,
        reason,
      }),
    )
  const message = 'it has not ended by the clock of a running server'
  const now = clock.now()
  await note(now, now, null)
  expect((await held()).held).toBeNull()
  // The server runs on, while the clock of this machine has just been set ahead.
  await note(now, at('2026-11-13T17:00:00Z'), 'it is ahead')
  expect((await held()).held).toEqual({ day: '2026-11-13', status: 'waiting', message })
  expect((await held(true)).held).toBeNull()
  clock.pass(30_001)
  expect((await held()).held).toBeNull()
})

describe('messages that were received and published on different days', () => {
  const [day, next] = ['2026-11-11', '2026-11-12']
  const statusOf = async (name: string) =>
    (await takeSnapshot(workshop.database, name, null, clock.now())).snapshot.clock.status

  async function publish(receivedAt: string, publishAt: string, visible: 0 | 1 = 1): Promise<void> {
    const { records, database } = workshop
    const span = daySpan(day)
    await records.alive(span.from, daySpan(next).to)
    const lab = await records.directory(`lab${receivedAt}`, span.from)
    const id = await records.message(lab, at(publishAt), 'b', visible)
    await database.write((tx) =>
      tx
        .updateTable('messages')
        .set({ received_at: at(receivedAt) })
        .where('id', '=', id)
        .execute(),
    )
  }

  it.each([0, 1] as const)('both days are stepped if it was more than 60 s', async (visible) => {
    await publish(`${day}T23:59:30Z`, `${next}T00:00:30.001Z`, visible)
    expect([await statusOf(day), await statusOf(next)]).toEqual(['stepped', 'stepped'])
    expect(await statusOf('2026-11-10')).toBe('unverified')
  })

  it('the day of receipt is stepped if the message is dated far ahead', async () => {
    await publish(`${day}T08:00:00Z`, '2030-01-01T00:00:00Z')
    expect([await statusOf(day), await statusOf(next)]).toEqual(['stepped', 'ok'])
  })

  it('neither day is stepped if it was up to 60 s, or both times are on one day', async () => {
    await publish(`${day}T23:59:30Z`, `${next}T00:00:30Z`)
    await publish(`${day}T01:00:00Z`, `${day}T23:00:00Z`)
    expect([await statusOf(day), await statusOf(next)]).toEqual(['ok', 'ok'])
  })
})
