// Concurrent pipelines on a PostgreSQL whose leases are disabled: a lease saves work, but the archive is correct without
// it (COMMANDS.md 2.5, WRITING.md 3.2). verify must find a whole archive.
// Rules: WRITING.md 3.2; COMMANDS.md 2.5.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { dayStart, previousDay } from '../../archive/format/calendar.ts'
import { makeSigningKey } from '../../archive/log/signing-keys.ts'
import { bucketPlace } from '../../archive/place/bucket.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { Place } from '../../archive/place/place.ts'
import { verifyArchive } from '../../archive/verify/archive.ts'
import { EXIT_BUSY } from '../../server/data/pipeline-lock.ts'
import type { Database } from '../../server/database/database.ts'
import { decode } from '../archive/decoding.ts'
import { runCommand } from '../pipeline/commands/command.ts'
import { recordsOf } from '../pipeline/records.ts'
import { databaseIn, openDatabaseIn } from '../support/database.ts'
import { startFakeBucket } from '../support/fake-bucket.ts'
import type { Ended } from '../support/programs.ts'
import { temporaryFolder } from '../support/release.ts'
import { standInFfmpeg } from '../support/stand-in-ffmpeg.ts'
import { today } from '../support/time.ts'
import { environmentOf } from './bucket.ts'

const HOSTS = ['one', 'two', 'three']
const DAY = previousDay(await today())

let dir: string
let database: Database
let common: Record<string, string>
beforeEach(async () => {
  dir = temporaryFolder()
  database = await openDatabaseIn(dir)
  await disableLeases(database)
  const records = recordsOf(database)
  const garden = await records.directory('garden', dayStart(DAY))
  await records.message(garden, dayStart(DAY) + 1, 'frost')
  // All hosts have the same signing key.
  const key = join(dir, 'signing.key')
  await makeSigningKey(key)
  common = {
    DATABASE_URL: await databaseIn(dir),
    FFMPEG_PATH: standInFfmpeg(join(dir, 'bin')),
    SIGNING_KEY_FILE: key,
  }
})

/** Makes every lease expire as soon as it is taken, so that every host gets it. */
async function disableLeases({ write }: Database): Promise<void> {
  await write(async (tx) => {
    await sql`create function end_lease() returns trigger language plpgsql as
      'begin new.ends_at := ''-infinity''; return new; end'`.execute(tx)
    await sql`create trigger end_lease before insert or update on leases
      for each row execute function end_lease()`.execute(tx)
  })
}

/** Runs the snapshot command on all hosts concurrently. */
function runEverywhere(env: Record<string, string>): Promise<Ended[]> {
  const runs = HOSTS.map((host) => {
    const DATA_DIR = join(dir, host)
    mkdirSync(DATA_DIR, { recursive: true })
    return runCommand(['--day', DAY], DATA_DIR, { ...common, ...env, DATA_DIR })
  })
  return Promise.all(runs)
}

async function expectOneWholeDay(source: Place): Promise<void> {
  const report = await verifyArchive(source, { decode, log: { pauseMs: 0 } })
  expect(report).toMatchObject({ ok: true, findings: [], log: { size: 1 } })
  expect(report.days).toMatchObject([{ day: DAY, findings: [] }])
}

test('two holders can have a disabled lease at the same time', async () => {
  const held = [await database.takeLease?.('work'), await database.takeLease?.('work')]
  expect(held).not.toContain(null)
  for (const lease of held) await lease?.release()
})

test('three concurrent pipelines on one folder publish one whole day', async () => {
  const ARCHIVE_DIR = join(dir, 'transmissions')
  const codes = (await runEverywhere({ ARCHIVE_DIR })).map(({ status }) => status)
  expect(codes).toContain(0)
  for (const code of codes) expect([0, EXIT_BUSY]).toContain(code)
  await expectOneWholeDay(folderPlace(ARCHIVE_DIR))
}, 120_000)

test('three concurrent pipelines on one object store publish one whole day', async () => {
  const shared = await startFakeBucket()
  const ended = await runEverywhere(environmentOf(shared.location))
  for (const { status, stderr } of ended)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  await expectOneWholeDay(await bucketPlace(shared.location, { random: () => 0.1 }))
}, 120_000)
