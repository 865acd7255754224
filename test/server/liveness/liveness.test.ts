// Tests heartbeats on a real database, with clocks that the test advances (FORMAT.md 5 and 6).
// Rules: FORMAT.md 5.1, 6.1-6.2.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ClockGuard } from '../../../server/clock/guard.ts'
import type { Database } from '../../../server/database/database.ts'
import { openDatabase } from '../../../server/database/open.ts'
import { type Recorder, startRecorder } from '../../../server/liveness/heartbeat.ts'
import type { Reading, State } from '../../../server/liveness/rules.ts'
import { system } from '../../../server/system/system.ts'
import { Problem } from '../../../server/wire/problem.ts'
import { databaseIn, ON_POSTGRES, openDatabaseIn } from '../../support/database.ts'
import { temporaryFolder } from '../../support/release.ts'
import { runs } from '../../support/runs.ts'
import { clockAt, type SetClock } from '../../support/service.ts'
import { elapse, until } from '../../support/time.ts'

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

async function setUp(): Promise<void> {
  dir = temporaryFolder()
  clock = clockAt('2026-11-18T09:00:00Z')
  database = await openDatabaseIn(dir, clock)
  state = { readOnly: false, disabled: [] }
  warnings = []
  recorders = []
  refusal = null
}
beforeEach(setUp)
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

async function intervals(): Promise<Row[]> {
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

interface Row {
  server: string
  from: number
  to: number
  state: string
}

/** What FORMAT.md 5.1 and 6.1 expect of the heartbeats of servers. */
class Model {
  readonly rows: Row[] = []
  readonly steps: number[][] = []
  readonly warnings: string[] = []
  readonly #last = new Map<string, Reading & { row: Row; isGap: boolean }>()

  /** A heartbeat that is written. */
  beat(server: string, { wall, sinceBoot }: Reading, { readOnly, disabled }: State): void {
    const last = this.#last.get(server)
    const elapsed = last ? sinceBoot - last.sinceBoot : 0
    const expected = last ? last.wall + elapsed : wall
    const isStep = Math.abs(wall - expected) > 1_000
    if (isStep) this.#step(expected, wall)
    const isObserved = last && !last.isGap && !isStep && elapsed <= 30_000
    if (isObserved) last.row.to = Math.max(last.row.to, wall)
    const current = `${readOnly ? 'read-only ' : ''}${disabled.toSorted()}`
    let row = last?.row
    if (!row || !isObserved || row.state !== current) {
      row = { server, from: wall, to: wall, state: current }
      this.rows.push(row)
    }
    this.#last.set(server, { wall, sinceBoot, row, isGap: false })
  }

  #step(...step: [number, number]): void {
    this.steps.push(step)
    const [from, to] = step.map((ms) => new Date(START + ms).toISOString())
    this.warnings.push(`the clock of this machine was set from ${from} to ${to}`)
  }

  /** A heartbeat that is left out, since the server refuses writes. */
  refuse(server: string): void {
    const last = this.#last.get(server)
    if (last) last.isGap = true
  }

  stop(server: string): void {
    this.#last.delete(server)
  }
}

const STATES: State[] = [
  { readOnly: false, disabled: [] },
  { readOnly: true, disabled: [] },
  { readOnly: true, disabled: ['messages', 'directories'] },
  { readOnly: true, disabled: ['directories', 'messages'] },
]

/** What happens up to a heartbeat of a server. */
const moment = fc.record({
  server: fc.constantFrom('a', 'b'),
  ms: fc.oneof(fc.constantFrom(100, 100, 30_000, 30_001), fc.nat(40_000)),
  isSuspended: fc.boolean(),
  /** How much more the wall clock advances; up to 1 s is no step. */
  drift: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.constantFrom(-1_001, -1_000, 1_000, 1_001) },
    fc.integer({ min: -25_000, max: 25_000 }),
  ),
  /** The index of the state. */
  chosen: fc.constantFrom(0, 0, 0, 1, 2, 3),
  happens: fc.constantFrom('nothing', 'nothing', 'nothing', 'refusal', 'failure', 'restart'),
})

describe('heartbeats', () => {
  it('rows cover what was observed in one state, a step is recorded, and a refusal is a gap', async () => {
    const history = fc.array(moment, { minLength: 10, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(history, async (moments) => {
        await setUp()
        const model = new Model()
        const boot = clock.sinceBoot()
        const running = new Map<string, Recorder>()
        let error = 0
        for (const { server, ms, isSuspended, drift, chosen, happens } of moments) {
          clock[isSuspended ? 'suspend' : 'pass'](ms)
          // The clock guard refuses a greater error.
          if (Math.abs(error + drift) <= 25_000) {
            error += drift
            pass(0, drift)
          }
          state = STATES[chosen] as State
          refusal = happens === 'refusal' ? new Problem('storage_unavailable', 'not now') : null
          const predict = () => {
            const [wall, sinceBoot] = [clock.now() - START, clock.sinceBoot() - boot]
            if (refusal) model.refuse(server)
            else model.beat(server, { wall, sinceBoot }, state)
          }
          if (happens === 'restart' && running.has(server)) {
            predict()
            await running.get(server)?.stop()
            running.delete(server)
            model.stop(server)
          }
          if (happens === 'failure') {
            vi.spyOn(database, 'write').mockRejectedValueOnce(new Error('full'))
            model.warnings.push('a heartbeat could not be written')
          } else predict()
          const recorder = running.get(server)
          if (recorder) await recorder.beat()
          else running.set(server, await record(server))
        }
        expect(await intervals()).toEqual(model.rows)
        expect(await steps()).toEqual(model.steps)
        expect(warnings).toEqual(model.warnings)
        await database.close()
      }),
      { numRuns: runs(10, 50) },
    )
  }, 120_000)

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

  it('a change of state that several callers report at once is recorded once', async () => {
    const recorder = await record()
    state = { readOnly: true, disabled: [] }
    pass(1_000)
    await Promise.all([recorder.beat(), recorder.beat(), recorder.beat()])
    expect(await intervals()).toHaveLength(2)
  })
})

describe('clock steps', () => {
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

describe('a stop', () => {
  it.skipIf(ON_POSTGRES)('a stop waits for 3 s for a database that is locked', async () => {
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
  })
})
