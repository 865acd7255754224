// Expired idempotency keys and ended rate windows are deleted in small slices.
// Rules: API.md 5.3, 6.4.
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, test } from 'vitest'
import type { ClockGuard } from '../../../server/clock/guard.ts'
import type { Database } from '../../../server/database/database.ts'
import { prune, startPruning } from '../../../server/publishing/prune.ts'
import { guardOf } from '../../support/clock-guard.ts'
import { openDatabaseIn } from '../../support/database.ts'
import { temporaryFolder } from '../../support/release.ts'
import { clockAt } from '../../support/service.ts'
import { elapse, until } from '../../support/time.ts'

const NOW = Date.parse('2026-11-19T08:30:00.000Z')
const DAY = 86_400_000

let dir: string
let database: Database
let clockGuard: ClockGuard
beforeEach(async () => {
  dir = temporaryFolder()
  const clock = clockAt('2026-11-19T08:30:00.000Z')
  clockGuard = guardOf(clock)
  database = await openDatabaseIn(dir, clock)
})

async function addKeys(createdAt: number[]): Promise<void> {
  const rows = createdAt.map((created_at, i) => ({
    operation: i % 2 ? 'message' : 'directory',
    origin: `origin ${i % 7}`,
    key: `key ${i}`,
    request_hash: '',
    answer: '{}',
    location: '/',
    created_at,
  }))
  await database.write((tx) => tx.insertInto('idempotency_keys').values(rows).execute())
}

async function addWindows(endsAt: number[]): Promise<void> {
  const rows = endsAt.map((ends_at, i) => ({ origin: `origin ${i}`, ends_at, windows: '[]' }))
  await database.write((tx) => tx.insertInto('rate_windows').values(rows).execute())
}

const left = async () => ({
  keys: (await database.db.selectFrom('idempotency_keys').select('created_at').execute()).map(
    (row) => Number(row.created_at),
  ),
  windows: (await database.db.selectFrom('rate_windows').select('ends_at').execute()).map((row) =>
    Number(row.ends_at),
  ),
})

const never = new AbortController().signal

test('pruning deletes exactly the expired rows, to the millisecond', async () => {
  await addKeys([NOW - 3 * DAY, NOW - DAY - 1, NOW - DAY, NOW - DAY + 1, NOW])
  await addWindows([NOW - DAY, NOW - 1, NOW, NOW + 1])
  await prune(database, clockGuard, never)
  expect(await left()).toEqual({
    keys: [NOW - DAY + 1, NOW],
    windows: [NOW + 1],
  })
})

test('many rows are deleted in slices, and other writes run between them', async () => {
  await addKeys(Array(1_050).fill(NOW - 2 * DAY))
  await addWindows(Array(1_050).fill(NOW - DAY))
  const pruning = prune(database, clockGuard, never)
  const leftBetween: number[] = []
  let done = false
  void pruning.then(() => {
    done = true
  })
  while (!done) {
    await database.write(async () => {})
    leftBetween.push((await left()).keys.length)
    await turn()
  }
  await pruning
  expect(await left()).toEqual({ keys: [], windows: [] })
  expect(new Set(leftBetween).size).toBeGreaterThanOrEqual(5)
})

test('pruning starts at once and can be stopped between two slices', async () => {
  await addKeys(Array(2_000).fill(NOW - 2 * DAY))
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(message) }
  const slice = Promise.withResolvers<void>()
  const write: Database['write'] = async (work) => {
    const deleted = await database.write(work)
    slice.resolve()
    return deleted
  }
  const pruning = startPruning({ ...database, write }, clockGuard, log)
  await slice.promise
  await pruning.stop()
  const rest = (await left()).keys.length
  expect(rest).toBe(1_900)
  await elapse(50, 'a pruning that goes on would delete another slice')
  expect((await left()).keys).toHaveLength(rest)
  expect(warnings).toEqual([])
})

test('a pruning error is logged, and pruning continues', async () => {
  const broken: Database = { ...database, write: () => Promise.reject(new Error('no')) }
  const warnings: string[] = []
  const log = { warn: (_: object, message: string) => void warnings.push(message) }
  const pruning = startPruning(broken, clockGuard, log)
  await until(() => warnings.length > 0)
  await pruning.stop()
  expect(warnings).toEqual(['expired keys and windows could not be deleted'])
})
