// Kills operator import DIR several times: each leaves an empty database, which the next one fills.
// Rules: COMMANDS.md 6.9.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { messageCreation } from '../../../../server/board/creations.ts'
import { isUntouched } from '../../../../server/database/transfer.ts'
import { publishAt } from '../../../../server/publishing/batch.ts'
import { system } from '../../../../server/system/system.ts'
import { mirrorFrom } from '../../../archive/mirror/signed-archive.ts'
import {
  databaseIn,
  dataEnvironment,
  openExisting,
  removeDatabase,
} from '../../../support/database.ts'
import { ROOT } from '../../../support/imports.ts'
import { operateOn } from '../../../support/moving.ts'
import { act } from '../../../support/operator.ts'
import { childEnvironment } from '../../../support/programs.ts'
import { publisherOf } from '../../../support/publish.ts'
import { temporaryFolder } from '../../../support/release.ts'
import { sealDays } from '../../../support/sealing.ts'
import { clockAt, startTestService, type TestService } from '../../../support/service.ts'
import { elapse } from '../../../support/time.ts'

const DAYS = ['2026-11-17', '2026-11-18']
/** Many inserts of an import. */
const PER_DAY = 2_500
const PER_TRANSACTION = 1_000
/** Each import runs a quarter longer than the one before. */
const FIRST_KILL_MS = 200

let root: string
let mirror: string
beforeAll(async () => {
  root = temporaryFolder()
  const clock = clockAt(`${DAYS[0]}T08:00:00Z`)
  const source = await startTestService({}, clock)
  await publisherOf(source.client).directory('lab')
  for (const day of DAYS) await publishMany(source, Date.parse(`${day}T09:00:00Z`))
  clock.passTo('2026-11-19T12:00:00Z')
  await sealDays(source.dataDir, DAYS, clock.now())
  await act(source, 'hide', 'message', 17n)
  mirror = join(root, 'mirror')
  const report = await mirrorFrom(source.url, mirror, { selection: { records: true } })
  expect(report).toMatchObject({ ok: true, records: DAYS.length })
  await source.stop()
}, 300_000)

async function publishMany(source: TestService, at: number): Promise<void> {
  const database = await openExisting(source.config.database)
  for (let from = 0; from < PER_DAY; from += PER_TRANSACTION)
    await database.write(async (tx) => {
      for (let i = from; i < from + PER_TRANSACTION; i += 1) {
        const input = { directory: 'lab', body: `number ${i}, see /messages/1`, author_label: '' }
        await publishAt(tx, messageCreation, input, { at, randomHex: system.randomHex })
      }
    })
  await database.close()
}

/** Creates an empty database. @returns its address, and the folder by which it is removed */
async function emptyBoard(name: string): Promise<{ dataDir: string; address: string }> {
  const dataDir = mkdtempSync(join(root, name))
  return { dataDir, address: await databaseIn(dataDir) }
}

const hashOf = async (address: string, name: string): Promise<string> =>
  (
    JSON.parse(await operateOn(address, ['export', join(root, name), '--json'])) as {
      sha256: string
    }
  ).sha256

/** Starts an import, and kills it after a time [ms]. @returns whether it was killed */
async function killImport(dataDir: string, after: number): Promise<boolean> {
  const child = spawn(process.execPath, ['server/operator/main.ts', 'import', mirror], {
    cwd: ROOT,
    env: childEnvironment(dataEnvironment(dataDir)),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  await Promise.race([ended, elapse(after, 'each kill comes at a different moment')])
  child.kill('SIGKILL')
  const [, signal] = (await ended) as [number | null, NodeJS.Signals | null]
  return signal === 'SIGKILL'
}

test('an import that is killed at any moment leaves an empty database, until one has written everything', async () => {
  const whole = await emptyBoard('whole-')
  await operateOn(whole.address, ['import', mirror])
  const killed = await emptyBoard('killed-')
  const database = await openExisting(killed.address)
  let kills = 0
  for (let after = FIRST_KILL_MS; await isUntouched(database.db); after *= 1.25)
    if (await killImport(killed.dataDir, after)) kills += 1
  await database.close()
  expect(kills).toBeGreaterThan(0)
  expect(await hashOf(killed.address, 'of-killed')).toBe(await hashOf(whole.address, 'of-whole'))
  for (const { dataDir } of [whole, killed]) await removeDatabase(dataDir)
}, 300_000)
