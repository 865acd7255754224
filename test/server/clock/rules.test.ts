// The rules by which the wall clock may date records, over random histories of all clocks.
// Rules: OPERATING.md 6.1-6.2.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstMemory, judge, type Moment } from '../../../server/clock/rules.ts'
import type { Acceptance } from '../../../server/database/settings/clock-settings.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY
const START = Date.parse('2026-11-20T08:30:00Z')

/** A server with its clocks, whose errors a test sets. */
class World {
  /** The true time. */
  time = START
  wallError = 0
  databaseError = 0
  latest = 0
  accepted: Acceptance | null = null
  readonly hasDatabase: boolean
  #memory

  constructor({ hasDatabase = false, wallError = 0, latest = 0 } = {}) {
    this.hasDatabase = hasDatabase
    this.wallError = wallError
    this.latest = latest
    this.#memory = firstMemory(this.moment)
  }

  get moment(): Moment {
    return {
      wall: this.time + this.wallError,
      sinceBoot: this.time - START + DAY,
      database: this.hasDatabase ? this.time + this.databaseError : null,
      latest: this.latest,
    }
  }

  get hasAgreed(): boolean {
    return this.#memory.hasAgreed
  }

  /** The wall time that the last agreement has advanced to. */
  get agreed(): number {
    const { wall, sinceBoot } = this.#memory.reference
    return wall + this.moment.sinceBoot - sinceBoot
  }

  /** Compares the clocks, and issues a time if they agree. @returns what contradicts the wall clock */
  check(): string[] {
    const { moment } = this
    const { memory, faults } = judge(this.#memory, moment, this.accepted)
    this.#memory = memory
    if (faults.length === 0) this.latest = Math.max(this.latest, moment.wall)
    return faults.map(({ by }) => by)
  }

  /** As `operator clock accept` on this machine. */
  accept(): void {
    const id = String(Number(this.accepted?.id ?? 0) + 1)
    const { wall, sinceBoot, database, latest } = this.moment
    this.accepted = { id, wall, sinceBoot, database, latest }
  }

  /** Checks every ten seconds for a time. @returns whether each check was refused */
  run(ms: number): boolean[] {
    const refused: boolean[] = []
    for (let passed = 0; passed < ms; passed += 10 * SECOND) {
      this.time += 10 * SECOND
      refused.push(this.check().length > 0)
    }
    return refused
  }
}

/** Whether nothing was refused later than 60 s after the begin of a run. */
const isSoonAccepted = (refused: readonly boolean[]): boolean => !refused.slice(6).includes(true)

describe('honest clocks', () => {
  const passing = fc.record({ ms: fc.integer({ min: 0, max: 3 * DAY }), slewed: fc.boolean() })

  test('a clock that is slewed, and a machine that is suspended, are never refused', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.array(passing, { maxLength: 40 }), (hasDatabase, history) => {
        const world = new World({ hasDatabase })
        expect(world.check()).toEqual([])
        for (const { ms, slewed } of history) {
          world.time += ms
          // NTP slews by at most 500 ppm, here towards an error of 25 s and back.
          if (slewed) world.wallError += Math.min(ms / 2_000, 25 * SECOND - world.wallError)
          else world.wallError -= Math.min(ms / 2_000, world.wallError)
          expect(world.check()).toEqual([])
        }
      }),
    )
  })

  test('a clock that NTP sets after the start is accepted within 60 s, on a board with records', () => {
    const error = fc.integer({ min: -60 * YEAR, max: 0 })
    const before = fc.integer({ min: 0, max: HOUR })
    fc.assert(
      fc.property(fc.boolean(), error, before, (hasDatabase, wallError, ms) => {
        const world = new World({ hasDatabase, wallError, latest: START - SECOND })
        world.check()
        world.run(ms)
        world.wallError = 0
        expect(isSoonAccepted(world.run(5 * MINUTE))).toBe(true)
      }),
    )
  })

  test('a clock that is set by up to 24 h, or back, is accepted within 60 s on an idle board', () => {
    const error = fc.integer({ min: -DAY, max: 60 * YEAR })
    fc.assert(
      fc.property(fc.boolean(), error, (hasDatabase, wallError) => {
        const world = new World({ hasDatabase, wallError })
        // Nothing is issued by a clock that the database contradicts; otherwise the times issued are lost with it.
        world.run(HOUR)
        world.latest = 0
        world.wallError = 0
        expect(isSoonAccepted(world.run(5 * MINUTE))).toBe(true)
      }),
    )
  })
})

describe('any clocks', () => {
  const event = fc.oneof(
    { weight: 4, arbitrary: fc.record({ pass: fc.integer({ min: 0, max: 100 * SECOND }) }) },
    fc.record({ pass: fc.integer({ min: 0, max: 2 * DAY }) }),
    fc.record({ wallError: fc.integer({ min: -3 * DAY, max: 3 * DAY }) }),
    fc.record({ wallError: fc.integer({ min: -50 * YEAR, max: 70 * YEAR }) }),
    fc.record({ wallError: fc.integer({ min: -70 * SECOND, max: 70 * SECOND }) }),
    fc.record({ databaseError: fc.integer({ min: -2 * DAY, max: 2 * DAY }) }),
    fc.record({ latest: fc.integer({ min: -DAY, max: 2 * DAY }) }),
  )
  const history = fc.array(event, { maxLength: 60 })

  /** Applies one event to a world. */
  function happen(world: World, event: object): void {
    const { pass = 0, latest, ...errors } = event as { pass?: number; latest?: number }
    world.time += pass
    if (latest !== undefined) world.latest = Math.max(world.latest, START + latest)
    Object.assign(world, errors)
  }

  test('nothing is dated more than 60 s ahead of, or behind, the clock of the database', () => {
    fc.assert(
      fc.property(history, (events) => {
        const world = new World({ hasDatabase: true })
        for (const event of events) {
          happen(world, event)
          const database = world.time + world.databaseError
          if (world.check().length > 0) continue
          expect(Math.abs(world.moment.wall - database)).toBeLessThanOrEqual(MINUTE)
          expect(world.latest - database).toBeLessThanOrEqual(MINUTE)
        }
      }),
    )
  })

  test('nothing is dated more than 60 s ahead of the last agreement, but for a step that has stayed', () => {
    fc.assert(
      fc.property(history, (events) => {
        const world = new World()
        /** The error of the wall clock at each check, with the true time. */
        const checks: { time: number; error: number }[] = []
        for (const event of events) {
          happen(world, event)
          const [hadAgreed, expected] = [world.hasAgreed, world.agreed]
          const lead = world.moment.wall - expected
          checks.push({ time: world.time, error: world.wallError })
          if (world.check().length > 0) continue
          expect(world.latest - world.moment.wall).toBeLessThanOrEqual(MINUTE)
          if (Math.abs(lead) <= MINUTE) continue
          expect(!hadAgreed || lead <= DAY).toBe(true)
          const isSame = ({ error }: { error: number }) =>
            Math.abs(error - world.wallError) <= MINUTE
          const from = checks.findLastIndex((check) => !isSame(check)) + 1
          expect(world.time - (checks[from]?.time ?? world.time)).toBeGreaterThanOrEqual(MINUTE)
        }
      }),
    )
  })

  test('a step that does not stay for 60 s changes nothing, however large it is', () => {
    const error = fc.integer({ min: -50 * YEAR, max: 70 * YEAR })
    const length = fc.integer({ min: 0, max: MINUTE - 1 })
    fc.assert(
      fc.property(fc.boolean(), fc.array(fc.tuple(error, length)), (hasDatabase, steps) => {
        const world = new World({ hasDatabase })
        world.check()
        for (const [wallError, ms] of steps) {
          world.wallError = wallError
          const first = world.check().length > 0
          world.time += ms
          expect(world.check().length > 0).toBe(first)
          world.wallError = 0
          world.time += 1
          if (!first) continue
          expect(world.check()).toEqual([])
          expect(world.latest).toBeLessThanOrEqual(world.time + MINUTE)
        }
      }),
    )
  })
})

describe('what waits for the operator', () => {
  const agreed = (options: { hasDatabase?: boolean } = {}) => {
    const world = new World(options)
    expect(world.check()).toEqual([])
    return world
  }

  test('a step of more than 24 h is refused without a database clock, and accepted with one that agrees', () => {
    for (const hasDatabase of [false, true]) {
      const world = agreed({ hasDatabase })
      world.wallError = DAY + 2 * MINUTE
      world.databaseError = world.wallError
      expect(world.run(2 * MINUTE).slice(7)).toEqual(Array(5).fill(!hasDatabase))
      expect(world.check()).toEqual(hasDatabase ? [] : ['boot'])
    }
  })

  test('a latest record that lies ahead is refused until the clock has come within 60 s of it', () => {
    const world = agreed()
    world.latest = world.time + 2 * HOUR
    expect(world.check()).toEqual(['latest'])
    world.time += 2 * HOUR - MINUTE - 1
    expect(world.check()).toEqual(['latest'])
    world.time += 1
    expect(world.check()).toEqual([])
  })

  test('the latest record is measured against the clock of the database, if there is one', () => {
    const world = agreed({ hasDatabase: true })
    world.wallError = -50 * SECOND
    world.latest = world.time + 50 * SECOND
    expect(world.check()).toEqual([])
    const alone = agreed()
    alone.wallError = -50 * SECOND
    alone.latest = alone.time + 50 * SECOND
    expect(alone.check()).toEqual(['latest'])
  })

  test('an accepted clock is the measure at once: its step, a latest record and the difference to the database', () => {
    for (const hasDatabase of [false, true]) {
      const world = agreed({ hasDatabase })
      world.wallError = 40 * DAY
      world.latest = world.time + 90 * DAY
      expect(world.check()).toEqual(['boot', ...(hasDatabase ? ['database'] : []), 'latest'])
      world.accept()
      expect(world.check()).toEqual([])
      world.time += DAY
      expect(world.check()).toEqual([])
      world.latest = world.time + 120 * DAY
      expect(world.check()).toEqual(['latest'])
    }
  })

  test('an acceptance excuses one step and not those that follow', () => {
    for (const hasDatabase of [false, true]) {
      const world = agreed({ hasDatabase })
      world.accept()
      expect(world.check()).toEqual([])
      world.wallError = 2 * HOUR
      world.databaseError = world.wallError
      expect(world.check()).toEqual(['boot'])
    }
  })

  test('the acceptance of another machine is the measure, told by the clock of the database', () => {
    const world = agreed({ hasDatabase: true })
    world.databaseError = 5 * HOUR
    expect(world.check()).toEqual(['database'])
    const { database } = world.moment
    const there = { wall: world.time, sinceBoot: 7 * DAY, database, latest: 0 }
    world.accepted = { id: '1', ...there }
    expect(world.check()).toEqual([])
    world.accepted = { id: '2', ...there, wall: world.time + HOUR }
    expect(world.check()).toEqual(['database'])
  })

  test('a step of this machine to the clock of another one that is accepted needs no wait', () => {
    const world = agreed({ hasDatabase: true })
    world.wallError = 5 * HOUR
    world.databaseError = 5 * HOUR
    expect(world.check()).toEqual(['boot'])
    const { wall, database } = world.moment
    world.accepted = { id: '1', wall, database, sinceBoot: 7 * DAY, latest: 0 }
    world.time += SECOND
    expect(world.check()).toEqual([])
  })
})
