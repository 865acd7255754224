// Hosts with different clocks that share a database (API.md 4.5).

import { beforeEach, expect, test } from 'vitest'
import { takeSnapshot } from '../../pipeline/days/snapshot.ts'
import { openExisting } from '../support/database.ts'
import { clockAt, startTestService, type TestService } from '../support/service.ts'

const DAY = '2026-11-18'
const MIDNIGHT = '2026-11-19T00:00:00.000Z'

let behind: TestService
let ahead: TestService
beforeEach(async () => {
  const [slow, fast] = [clockAt(`${DAY}T23:59:30Z`), clockAt('2026-11-19T00:00:40Z')]
  for (const clock of [slow, fast]) clock.stepDatabase('2026-11-19T00:00:05Z')
  behind = await startTestService({}, slow)
  const { database } = behind.config
  ahead = await startTestService({ DATABASE_URL: database }, fast)
  await behind.publish.directory('lab')
})

/** Publishes a message, and returns its times. */
async function times(at: TestService) {
  const { json } = await at.client.post('/api/v1/messages', { directory: 'lab', body: 'now' })
  return json as { received_at: string; publish_at: string }
}

test('a later id never has an earlier publish_at, whichever host assigns it', async () => {
  const first = await times(behind)
  const second = await times(ahead)
  const third = await times(behind)
  expect(first.publish_at).toBe(`${DAY}T23:59:30.000Z`)
  expect(second.publish_at).toBe('2026-11-19T00:00:40.000Z')
  expect(third).toMatchObject({ received_at: first.received_at, publish_at: second.publish_at })
})

test('a host whose clock is behind adds nothing to a day that another host has fixed', async () => {
  await times(behind)
  const database = await openExisting(ahead.config.database)
  const { snapshot } = await takeSnapshot(database, DAY, null, Date.parse(MIDNIGHT))
  expect((await times(behind)).publish_at).toBe(MIDNIGHT)
  await behind.publish.directory('lab/late')
  const again = await takeSnapshot(database, DAY, null, Date.parse(MIDNIGHT))
  expect(again.snapshot.counters).toEqual(snapshot.counters)
  expect(again.snapshot.records).toEqual(snapshot.records)
})
