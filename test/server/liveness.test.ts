// Tests heartbeats on a real database, with clocks that the test advances (FORMAT.md 5 and 6).
// Rules: FORMAT.md 5.1, 6.1-6.2.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ClockGuard } from '../../server/clock/guard.ts'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { type Recorder, startRecorder } from '../../server/liveness/recorder.ts'
import type { State } from '../../server/liveness/rules.ts'
import { system } from '../../server/system/system.ts'
import { Problem } from '../../server/wire/problem.ts'
import { databaseIn, ON_POSTGRES, openDatabaseIn } from '../support/database.ts'
import { temporaryFolder } from '../support/release.ts'
import { clockAt, type SetClock } from '../support/service.ts'
import { elapse, until } from '../support/time.ts'

const START = Date.parse('2026-11-18T09:00:00Z')

let dir: string
let database: Database
let clock: SetClock
let state: State
/** What the log has got at the levels warn and error. */
let warnings: string[]
let recorders: Recorder[]
/** Why writes are refused; null while they are accepted. */
let refusal: Problem | null

beforeEach(async () => {
  dir = temporaryFolder()
  clock = clockAt('2026-11-18T09:00:00Z')
  database = await openDatabaseIn(dir, clock)
  state = { readOnly: false, disabled: [] }
  warnings = []
  recorders = []
  refusal = null
})
afterEach(async () => {
  for (const recorder of recorders) await recorder.stop()
})

async function record(server = 'a', everyMs = 3_600_000, on = database): Promise<Recorder> {
  const tell = (_fields: object, message: string) => void warnings.push(message)
  const log = { warn: tell, error: tell }
  const recorder = await startRecorder({
    database: on,
    server,
    clockGuard: new ClockGuard(clock, log),
    state: () => state,
    restoreGuard: () => refusal,
    log,
    everyMs,
  })
  recorders.push(recorder)
  return recorder
}

/** Lets time pass. @param drift how much more the wall clock advances [ms] */
function pass(ms: number, drift = 0): void {
  clock.pass(ms)
  if (drift !== 0) clock.step(new Date(clock.now() + drift).toISOString())
}

async function intervals() {
  const rows = await database.db.selectFrom('liveness').selectAll().orderBy('id').execute()
  return rows.map((row) => ({
    server: row.server,
    from: Number(row.from_at) - START,
    to: Number(row.to_at) - START,
    state: `${row.read_only ? 'read-only ' : ''}${row.disabled_features}`,
  }))
}

async function steps() {
  const rows = await database.db.selectFrom('clock_steps').selectAll().orderBy('id').execute()
  return rows.map((row) => [Number(row.expected_at) - START, Number(row.actual_at) - START])
}

describe('heartbeats of a running server', () => {
  it('a server records its start and its stop, and extends one row with each heartbeat', async () => {
    const recorder = await record()
    expect(await intervals()).toEqual([{ server: 'a', from: 0, to: 0, state: '' }])
    pass(10_000)
    await recorder.beat()
    pass(30_000)
    await recorder.beat()
    pass(4_000)
    await recorder.stop()
    expect(await intervals()).toEqual([{ server: 'a', from: 0, to: 44_000, state: '' }])
    expect(await steps()).toEqual([])
  })

  it('a server writes heartbeats by a timer until it is stopped', async () => {
    const recorder = await record('a', 5)
    pass(100)
    await until(async () => (await intervals())[0]!.to > 0)
    await recorder.stop()
    const [last] = await intervals()
    pass(1000)
    await elapse(30, 'a timer that still runs would write six times')
    expect(await intervals()).toEqual([last])
  })

  it('a server begins another row after a silence of more than 30 s', async () => {
    const recorder = await record()
    pass(30_001)
    await recorder.beat()
    pass(5_000)
    await recorder.beat()
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 0, state: '' },
      { server: 'a', from: 30_001, to: 35_001, state: '' },
    ])
  })

  it('a server begins another row after any restart, however short', async () => {
    await (await record()).stop()
    pass(50)
    await record()
    expect((await intervals()).map((row) => row.from)).toEqual([0, 50])
  })

  it('servers extend only their own rows', async () => {
    const [a, b] = [await record('a'), await record('b')]
    pass(10_000)
    await a.beat()
    pass(1_000)
    await b.beat()
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 10_000, state: '' },
      { server: 'b', from: 0, to: 11_000, state: '' },
    ])
  })
})

describe('heartbeats while writes are refused', () => {
  it('the time from the last heartbeat before a refusal to the first after it is in no row', async () => {
    const recorder = await record()
    pass(2_000)
    await recorder.beat()
    refusal = new Problem('storage_unavailable', 'not now')
    pass(3_000)
    await recorder.beat()
    refusal = null
    pass(4_000)
    await recorder.beat()
    pass(5_000)
    await recorder.beat()
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 2_000, state: '' },
      { server: 'a', from: 9_000, to: 14_000, state: '' },
    ])
  })

  it('a server that starts while writes are refused writes its first heartbeat afterwards', async () => {
    refusal = new Problem('storage_unavailable', 'not now')
    const recorder = await record()
    pass(1_000)
    refusal = null
    await recorder.beat()
    expect((await intervals()).map((row) => row.from)).toEqual([1_000])
  })
})

describe('changes of state', () => {
  it('a change of state ends one row and begins another at the same instant', async () => {
    const recorder = await record()
    pass(3_000)
    state = { readOnly: true, disabled: ['messages', 'directories'] }
    await recorder.beat()
    pass(2_000)
    state = { readOnly: false, disabled: [] }
    await recorder.beat()
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 3_000, state: '' },
      { server: 'a', from: 3_000, to: 5_000, state: 'read-only directories,messages' },
      { server: 'a', from: 5_000, to: 5_000, state: '' },
    ])
  })

  it('the same features in another order are not a change of state', async () => {
    state = { readOnly: false, disabled: ['messages', 'directories'] }
    const recorder = await record()
    state = { readOnly: false, disabled: ['directories', 'messages'] }
    pass(1_000)
    await recorder.beat()
    expect(await intervals()).toHaveLength(1)
  })

  it('a change of state that several callers report at once is recorded once', async () => {
    const recorder = await record()
    state = { readOnly: true, disabled: [] }
    pass(1_000)
    await Promise.all([recorder.beat(), recorder.beat(), recorder.beat()])
    expect(await intervals()).toHaveLength(2)
  })
})

describe('clock steps', () => {
  it('a step forwards is recorded with both instants, and the skipped time is not observed', async () => {
    const recorder = await record()
    pass(10_000)
    await recorder.beat()
    pass(10_000, 40_000)
    await recorder.beat()
    pass(10_000)
    await recorder.beat()
    expect(await steps()).toEqual([[20_000, 60_000]])
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 10_000, state: '' },
      { server: 'a', from: 60_000, to: 70_000, state: '' },
    ])
    expect(warnings).toEqual([
      'the clock of this machine was set from 2026-11-18T09:00:20.000Z to 2026-11-18T09:01:00.000Z',
    ])
  })

  it('a step backwards is recorded, and no row ends before it begins', async () => {
    const recorder = await record()
    pass(10_000, -40_000)
    await recorder.beat()
    pass(10_000)
    await recorder.beat()
    expect(await steps()).toEqual([[10_000, -30_000]])
    for (const row of await intervals()) expect(row.to).toBeGreaterThanOrEqual(row.from)
  })

  it('no heartbeat is written during a long step until it is accepted, and then it is recorded', async () => {
    const recorder = await record()
    pass(10_000)
    await recorder.beat()
    pass(10_000, 3_600_000)
    clock.stepDatabase('2026-11-18T10:00:20Z')
    for (let beats = 0; beats < 6; beats++) {
      await recorder.beat()
      pass(10_000)
    }
    expect(await steps()).toEqual([])
    expect(await intervals()).toHaveLength(1)
    await recorder.beat()
    pass(10_000)
    await recorder.beat()
    expect(await steps()).toEqual([[80_000, 3_680_000]])
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 10_000, state: '' },
      { server: 'a', from: 3_680_000, to: 3_690_000, state: '' },
    ])
  })

  it('a moment of a wrong clock between two heartbeats is not observed', async () => {
    const recorder = await record()
    pass(5_000, 3_600_000)
    await recorder.beat()
    pass(5_000, -3_600_000)
    await recorder.beat()
    pass(5_000)
    await recorder.beat()
    expect(await steps()).toEqual([])
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 0, state: '' },
      { server: 'a', from: 10_000, to: 15_000, state: '' },
    ])
  })

  it('a suspension is a gap and no step', async () => {
    const recorder = await record()
    pass(10_000)
    await recorder.beat()
    clock.suspend(8 * 3_600_000)
    await recorder.beat()
    pass(10_000)
    await recorder.beat()
    expect(await steps()).toEqual([])
    expect(warnings).toEqual([])
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 10_000, state: '' },
      { server: 'a', from: 28_810_000, to: 28_820_000, state: '' },
    ])
  })

  it('a step of a second or less is not recorded and never shortens a row', async () => {
    const recorder = await record()
    pass(10_000, 1_000)
    await recorder.beat()
    pass(100, -1_000)
    await recorder.beat()
    expect(await steps()).toEqual([])
    expect(await intervals()).toEqual([{ server: 'a', from: 0, to: 11_000, state: '' }])
  })

  it.skipIf(ON_POSTGRES)('a step is recorded after failed heartbeats too', async () => {
    const recorder = await record()
    const blocker = new DatabaseSync(join(dir, 'daysignal.sqlite'))
    blocker.exec('begin immediate')
    pass(5_000, 2_000)
    const write = vi.spyOn(database, 'write')
    const heartbeat = recorder.beat()
    await until(() => write.mock.calls.length > 0)
    blocker.exec('rollback')
    blocker.close()
    await heartbeat
    expect(await steps()).toEqual([[5_000, 7_000]])
  })
})

describe('failed heartbeats', () => {
  it('a failed heartbeat is logged, and the next one continues the row after a short silence', async () => {
    const recorder = await record()
    await database.write((tx) => tx.schema.alterTable('liveness').renameTo('away').execute())
    pass(10_000)
    await recorder.beat()
    expect(warnings).toEqual(['a heartbeat could not be written'])
    await database.write((tx) => tx.schema.alterTable('away').renameTo('liveness').execute())
    pass(10_000)
    await recorder.beat()
    expect(await intervals()).toEqual([{ server: 'a', from: 0, to: 20_000, state: '' }])
  })

  it('failed heartbeats leave a gap when the silence exceeds 30 s', async () => {
    const recorder = await record()
    await database.write((tx) => tx.schema.alterTable('liveness').renameTo('away').execute())
    for (let i = 0; i < 4; i++) {
      pass(10_000)
      await recorder.beat()
    }
    await database.write((tx) => tx.schema.alterTable('away').renameTo('liveness').execute())
    pass(1_000)
    await recorder.beat()
    pass(10_000)
    await recorder.beat()
    expect(warnings).toHaveLength(4)
    expect(await intervals()).toEqual([
      { server: 'a', from: 0, to: 0, state: '' },
      { server: 'a', from: 41_000, to: 51_000, state: '' },
    ])
  })

  it.skipIf(ON_POSTGRES)(
    'a stop waits for 3 s for a database that another process holds locked',
    async () => {
      // The database's own timeout never ends, so only the stop's can.
      const endless = await openDatabase(await databaseIn(dir), {
        clock: { ...system.clock, monotonic: () => 0 },
        create: false,
      })
      const recorder = await record('a', 3_600_000, endless)
      const blocker = new DatabaseSync(join(dir, 'daysignal.sqlite'))
      blocker.exec('begin immediate')
      vi.useFakeTimers({ toFake: ['setTimeout'] })
      const stopped = recorder.stop()
      vi.advanceTimersByTime(3_000)
      vi.useRealTimers()
      await stopped
      blocker.exec('rollback')
      blocker.close()
      await endless.close()
    },
  )
})
