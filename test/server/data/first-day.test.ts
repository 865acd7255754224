// Tests when a board began, on every engine.
// Rules: COMMANDS.md 2.2.
import { beforeEach, expect, test } from 'vitest'
import { readBeginning } from '../../../server/data/first-day.ts'
import type { Database } from '../../../server/database/database.ts'
import { beginInterval, recordClockStep } from '../../../server/liveness/queries.ts'
import { openDatabaseIn } from '../../support/database.ts'
import { publisherIn } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'

const at = (text: string) => Date.parse(text)

let dir: string
let database: Database
beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
})

const heartbeat = (time: string) =>
  database.write((tx) => beginInterval(tx, 'a', at(time), { readOnly: false, disabled: [] }))

const directory = (time: string) => publisherIn(database).directory('garden', at(time))

test('a board without heartbeats and records has not begun', async () => {
  expect(await readBeginning(database.db)).toBeNull()
})

test('a board begins with its first heartbeat', async () => {
  await heartbeat('2026-11-20T08:30:00Z')
  await heartbeat('2026-11-22T08:30:00Z')
  await directory('2026-11-21T00:00:00Z')
  expect(await readBeginning(database.db)).toBe(at('2026-11-20T08:30:00Z'))
})

test('a board begins with its first record if that is older than every heartbeat', async () => {
  await directory('2026-11-19T00:00:00Z')
  expect(await readBeginning(database.db)).toBe(at('2026-11-19T00:00:00Z'))
  await heartbeat('2026-11-20T08:30:00Z')
  expect(await readBeginning(database.db)).toBe(at('2026-11-19T00:00:00Z'))
})

test('a heartbeat of a machine that did not know the date yet is not the beginning', async () => {
  await heartbeat('1970-01-01T00:00:10Z')
  await heartbeat('2026-11-20T08:30:00Z')
  await database.write((tx) =>
    recordClockStep(tx, 'a', {
      expectedAt: at('1970-01-01T00:00:20Z'),
      actualAt: at('2026-11-20T08:30:00Z'),
    }),
  )
  expect(await readBeginning(database.db)).toBe(at('2026-11-20T08:30:00Z'))
})
