// Shows as a skipped test that an engine is not installed and its tests do not run. In CI that is a failure.
import { expect, test } from 'vitest'
import { hasCeph } from '../support/ceph.ts'
import { postgresPrograms } from '../support/postgres.ts'

const isCi = process.env.CI === 'true'
const hasPostgres = postgresPrograms() !== undefined

test.skipIf(!isCi && !hasPostgres)('PostgreSQL is installed: its tests are not skipped', () => {
  expect(hasPostgres).toBe(true)
})

test.skipIf(!isCi && !hasCeph())('Ceph is installed: its tests are not skipped', () => {
  expect(hasCeph()).toBe(true)
})
