// Tests that a snapshot at midnight waits for the last heartbeat and for records in flight (FORMAT.md 4 and 5).
// Rules: API.md 4.5.
import { expect, test } from 'vitest'
import { letDaySettle } from '../../../pipeline/sealing/fix-snapshot.ts'
import { beginInterval, extendInterval } from '../../../server/liveness/queries.ts'
import { until } from '../../support/time.ts'
import { workshopForEach } from '../workshop.ts'

const DAY = '2026-11-19'
const END = Date.parse('2026-11-20T00:00:00Z')
const STATE = { readOnly: false, disabled: [] }
const never = new AbortController().signal

const workshop = workshopForEach()

/** The number of reads while the day settled. */
let queries: number
const settle = async (now: number): Promise<number> => {
  queries = 0
  const watched = {
    ...workshop.database,
    get db() {
      queries += 1
      return workshop.database.db
    },
  }
  await letDaySettle(watched, DAY, now, never)
  return queries
}

test('a snapshot waits for the heartbeat that covers the end of the day while a server runs', async () => {
  const { database } = workshop
  const id = await database.write((tx) => beginInterval(tx, 'one', END - 60_000, STATE))
  await database.write((tx) => extendInterval(tx, id, END - 2_000))
  let isSettled = false
  const settled = settle(END + 100).then(() => {
    isSettled = true
  })
  await until(() => queries >= 3)
  expect(isSettled).toBe(false)
  await database.write((tx) => extendInterval(tx, id, END + 8_000))
  await settled
})

test('a snapshot does not wait when no server ran, or the day ended long ago', async () => {
  expect(await settle(END + 100)).toBe(1)
  const id = await workshop.database.write((tx) => beginInterval(tx, 'one', END - 9_000, STATE))
  await workshop.database.write((tx) => extendInterval(tx, id, END - 5_000))
  expect(await settle(END + 300_000)).toBe(0)
})

test('a snapshot waits for a transaction in flight', async () => {
  let isCommitted = false
  const write = workshop.database.write(async () => {
    await Promise.resolve()
    isCommitted = true
  })
  await settle(END + 300_000)
  expect(isCommitted).toBe(true)
  await write
})
