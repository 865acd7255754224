// Kills of a run after each of its writes (server/data/killed-runs.ts), for an archive in an object store.
// Rules: API.md 9.14.
import { expect, test } from 'vitest'
import { killAfterEachWrite } from '../server/data/killed-runs.ts'
import { partsInBucket } from '../support/sealing.ts'
import { openTestBucket } from './bucket.ts'

test('an archive in an object store: the database is compared right after a kill at any write', async () => {
  const kills = await killAfterEachWrite(async () => {
    const place = await openTestBucket()
    const { location } = place
    return {
      place,
      location,
      partsOn: async (database, kill) => partsInBucket(place, database, kill),
    }
  })
  expect(kills).toBeGreaterThan(8)
}, 600_000)
