// Shows as a skipped test that an engine is not installed and its tests do not run. In CI that is a failure.
import { expect, test } from 'vitest'
import { hasCeph } from '../support/ceph.ts'
import { postgresPrograms } from '../support/postgres.ts'

const ENGINES = { PostgreSQL: postgresPrograms() !== undefined, Ceph: hasCeph() }

for (const [name, isInstalled] of Object.entries(ENGINES))
  test.skipIf(process.env.CI !== 'true' && !isInstalled)(
    `${name} is installed: its tests are not skipped`,
    () => expect(isInstalled).toBe(true),
  )
