// Says that the tests on PostgreSQL were skipped, where it is not installed; in CI that is a failure.
import { expect, test } from 'vitest'
import { postgresPrograms } from '../support/postgres.ts'

const isNeeded = process.env.CI === 'true' || postgresPrograms() !== undefined

test.skipIf(!isNeeded)('PostgreSQL is installed, so that its tests are not skipped', () => {
  expect(postgresPrograms()).toBeDefined()
})
