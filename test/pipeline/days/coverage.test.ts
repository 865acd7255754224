// Tests coverage, its reasons, absent features and the clock status (FORMAT.md 5 and 6).
// Rules: FORMAT.md 4.2, 5.1-5.4, 6.1-6.3.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contradictionIn } from '../../../archive/format/contradictions.ts'
import { parseSnapshot, snapshotBytes } from '../../../archive/format/snapshot.ts'
import { type Heartbeats, observeDay, WRITING_FEATURES } from '../../../pipeline/days/coverage.ts'
import { composeSnapshot } from '../../../pipeline/days/snapshot.ts'
import { COUNTER_NAMES, perCounter } from '../../../protocol/index.ts'
import type { ClockStep } from '../../../server/database/records/heartbeats.ts'
import { runs } from '../../support/runs.ts'

const FROM = Date.parse('2026-11-18T00:00:00Z')
const DAY = { from: FROM, to: FROM + 86_400_000 }
const at = (time: string) => Date.parse(`2026-11-18T${time}Z`)

const alive = (from: number, to: number, more: Partial<Heartbeats> = {}): Heartbeats => ({
  from,
  to,
  readOnly: false,
  disabled: [],
  ...more,
})
const whole = (more: Partial<Heartbeats> = {}) => alive(DAY.from - 1000, DAY.to + 1000, more)

describe('coverage status', () => {
  it('coverage is complete, without reasons, when one server ran all day', () => {
    expect(observeDay(DAY, [whole()], [])).toEqual({
      coverage: 'complete',
      observedSeconds: 86_400,
      reasons: [],
      clock: 'ok',
      absentFeatures: new Set(),
    })
  })

  it('coverage is complete with 59.999 s missing in total, and partial with 60 s', () => {
    const without = (ms: number) =>
      observeDay(DAY, [alive(DAY.from, at('10:00:00')), alive(at('10:00:00') + ms, DAY.to)], [])
    expect(without(59_999).coverage).toBe('complete')
    expect(without(60_000).coverage).toBe('partial')
  })

  it('observed seconds are rounded down, and gaps are listed to the millisecond', () => {
    const seen = observeDay(DAY, [alive(at('00:00:01.250'), at('00:00:03.249'))], [])
    expect(seen.coverage).toBe('partial')
    expect(seen.observedSeconds).toBe(1)
    expect(seen.reasons).toEqual([
      { code: 'service_not_running', from: DAY.from, to: at('00:00:01.250') },
      { code: 'service_not_running', from: at('00:00:03.249'), to: DAY.to },
    ])
  })

  it('a heartbeat row of zero length counts as no time', () => {
    const seen = observeDay(DAY, [alive(at('12:00:00'), at('12:00:00'), { readOnly: true })], [])
    expect(seen.coverage).toBe('none')
    expect(seen.clock).toBe('unverified')
    expect(seen.reasons).toEqual([{ code: 'service_not_running', ...DAY }])
  })
})

const step = (expectedAt: number, actualAt: number): ClockStep => ({ expectedAt, actualAt })

it.each<[string, Heartbeats[], ClockStep | null]>([
  ['stepped', [whole()], step(at('10:00:00'), DAY.to + 5)],
  ['stepped', [whole()], step(DAY.from - 5, DAY.from)],
  ['ok', [whole()], step(DAY.from - 9000, DAY.from - 1)],
  ['ok', [whole()], step(DAY.to, DAY.to + 9000)],
  ['unverified', [], null],
])('the clock is %s: rows %j, a step %j', (status, rows, one) => {
  expect(observeDay(DAY, rows, one === null ? [] : [one]).clock).toBe(status)
})

/** A naive model that applies the rules to each second of a short day separately. */
function model(length: number, rows: Heartbeats[]) {
  const seconds = Array.from({ length }, (_, i) =>
    rows.filter((r) => r.from <= i * 1000 && i * 1000 < r.to),
  )
  const observed = seconds.filter((running) => running.length > 0)
  const isTrueOfAll = (running: Heartbeats[], holds: (row: Heartbeats) => boolean) =>
    running.length > 0 && running.every(holds)
  const codesAt = (running: Heartbeats[]) => {
    const codes = running.length === 0 ? ['service_not_running'] : []
    if (isTrueOfAll(running, (row) => row.readOnly)) codes.push('read_only')
    const off = WRITING_FEATURES.filter((f) =>
      isTrueOfAll(running, (row) => row.disabled.includes(f)),
    )
    if (off.length > 0) codes.push('feature_disabled')
    return codes
  }
  const missing = length - observed.length
  return {
    coverage: observed.length === 0 ? 'none' : missing < 60 ? 'complete' : 'partial',
    observedSeconds: observed.length,
    codes: seconds.map(codesAt),
    absent: WRITING_FEATURES.filter(
      (f) =>
        observed.length > 0 &&
        observed.every((running) => isTrueOfAll(running, (row) => row.disabled.includes(f))),
    ),
  }
}

describe('arbitrary heartbeat rows', () => {
  const LENGTH = 200
  const row = fc
    .record({
      a: fc.integer({ min: -20, max: LENGTH + 20 }),
      b: fc.integer({ min: -20, max: LENGTH + 20 }),
      readOnly: fc.boolean(),
      disabled: fc.subarray(['directories', 'investigations', 'messages', 'transmissions']),
    })
    .map(({ a, b, ...state }) => ({
      from: Math.min(a, b) * 1000,
      to: Math.max(a, b) * 1000,
      ...state,
    }))

  it('any rows give the result of a model that checks each second separately', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (rows) => {
        const seen = observeDay({ from: 0, to: LENGTH * 1000 }, rows, [])
        const expected = model(LENGTH, rows)
        const codesAt = (second: number) =>
          ['service_not_running', 'read_only', 'feature_disabled'].filter((code) =>
            seen.reasons.some(
              (r) => r.code === code && r.from <= second * 1000 && second * 1000 < r.to,
            ),
          )
        expect(seen.coverage).toBe(expected.coverage)
        expect(seen.observedSeconds).toBe(expected.observedSeconds)
        expect(Array.from({ length: LENGTH }, (_, i) => codesAt(i))).toEqual(expected.codes)
        expect([...seen.absentFeatures]).toEqual(expected.absent)
      }),
      { numRuns: 500 },
    )
  })

  it('reasons are merged, sorted, non-empty and within the day, at any millisecond', () => {
    const anyMs = fc.integer({ min: -5000, max: 65_000 })
    const anyRow = fc
      .tuple(anyMs, anyMs, fc.boolean(), fc.subarray(['messages', 'directories']))
      .map(([a, b, readOnly, disabled]) => ({
        from: Math.min(a, b),
        to: Math.max(a, b),
        readOnly,
        disabled,
      }))
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 12 }), (rows) => {
        const { reasons, observedSeconds } = observeDay({ from: 0, to: 60_000 }, rows, [])
        const starts = reasons.map((reason) => reason.from)
        expect(starts).toEqual([...starts].sort((a, b) => a - b))
        for (const r of reasons) expect(0 <= r.from && r.from < r.to && r.to <= 60_000).toBe(true)
        for (const code of new Set(reasons.map((r) => r.code))) {
          const same = reasons.filter((r) => r.code === code)
          for (let i = 1; i < same.length; i++)
            expect(same[i]!.from).toBeGreaterThan(same[i - 1]!.to)
        }
        const missing = reasons
          .filter((r) => r.code === 'service_not_running')
          .reduce((sum, r) => sum + r.to - r.from, 0)
        expect(observedSeconds).toBe(Math.floor((60_000 - missing) / 1000))
      }),
      { numRuns: 500 },
    )
  })
})

const { from, to } = DAY
const anyMs = fc.oneof(
  fc.integer({ min: from - 100_000, max: to + 100_000 }),
  // Around midnight and in steps of 30 s, where heartbeats meet, end and leave less than a minute out.
  fc.integer({ min: -70_000, max: 70_000 }).map((ms) => from + ms),
  fc.integer({ min: -70_000, max: 70_000 }).map((ms) => to + ms),
  fc.integer({ min: 0, max: 2880 }).map((count) => from + count * 30_000),
)
const anyRow = fc
  .tuple(anyMs, anyMs, fc.boolean(), fc.subarray([...WRITING_FEATURES, 'transmissions']))
  .map(([a, b, readOnly, disabled]) =>
    alive(Math.min(a, b), Math.max(a, b), { readOnly, disabled }),
  )
const anyStep = fc.record({ expectedAt: anyMs, actualAt: anyMs })
const anyCount = fc.option(fc.bigInt({ min: 0n, max: 40n }), { freq: 20 })
const anyCounts = fc.array(anyCount, { minLength: 12, maxLength: 12 })
const noMessages = { count: '0', first_message_id: null, last_message_id: null }

it('no day that is composed from any heartbeats contradicts itself', () => {
  const composed = new Set<string>()
  fc.assert(
    fc.property(
      fc.array(anyRow, { maxLength: 12 }),
      fc.array(anyStep, { maxLength: 2 }),
      anyCounts,
      fc.nat(20),
      fc.nat(200_000_000),
      (rows, steps, numbers, hidden, late) => {
        const counts = perCounter((name) => numbers[COUNTER_NAMES.indexOf(name)] ?? null)
        const count = (counts.messages ?? 0n) + BigInt(hidden)
        const ids = { first_message_id: '1', last_message_id: String(count) }
        const snapshot = composeSnapshot({
          day: '2026-11-18',
          span: DAY,
          counts,
          observed: observeDay(DAY, rows, steps),
          previous: null,
          records: {
            ...noMessages,
            ...(count > 0n && ids),
            count: String(count),
            root: createHash('sha256').digest('hex'),
          },
          generatedAt: to + late,
        })
        expect(contradictionIn(parseSnapshot(snapshotBytes(snapshot)))).toBeNull()
        const { coverage, clock } = snapshot
        for (const { code } of coverage.reasons) composed.add(code)
        composed.add(`${coverage.status}, ${clock.status}`)
      },
    ),
    { numRuns: runs(1_000, 10_000) },
  )
  expect([...composed].sort()).toEqual([
    'complete, ok',
    'complete, stepped',
    'counter_failed',
    'feature_disabled',
    'none, stepped',
    'none, unverified',
    'partial, ok',
    'partial, stepped',
    'read_only',
    'service_not_running',
  ])
})
