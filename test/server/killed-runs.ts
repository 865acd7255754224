// Kills a run after each of its writes, then compares its database with the archive: as it is, and restored from a copy.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifierOf } from '../../archive/log/note.ts'
import { readSigningKeys } from '../../archive/log/signing-keys.ts'
import type { ArchiveLocation } from '../../archive/place/location.ts'
import type { WritablePlace } from '../../archive/place/place.ts'
import { ArchiveReader, openStatingPlace } from '../../archive/reading/reader.ts'
import { directoryCreation, messageCreation } from '../../server/board/creations.ts'
import { compareWithArchive } from '../../server/data/restored.ts'
import type { Database } from '../../server/database/database.ts'
import { openDatabase } from '../../server/database/open.ts'
import { readLog } from '../../server/database/records/action-log.ts'
import { publishAt } from '../../server/publishing/batch.ts'
import { system } from '../../server/system.ts'
import { backUpDatabase, databaseIn, removeDatabase } from '../support/database.ts'
import { KillSwitch } from '../support/kill-switch.ts'
import { type Parts, runOn } from '../support/sealing.ts'

const [FIRST, SECOND, THIRD] = ['2026-11-17', '2026-11-18', '2026-11-19'] as const
const at = (day: string) => Date.parse(`${day}T08:00:00Z`)

/** An empty archive. */
export interface EmptyArchive {
  place: WritablePlace
  /** How a server opens it. */
  location: ArchiveLocation
  partsOn(database: Database, kill?: KillSwitch): Promise<Parts>
}

/** @returns the number of writes after which the run was killed */
export async function killAfterEachWrite(
  open: (dataDir: string) => Promise<EmptyArchive>,
): Promise<number> {
  for (let writes = 0; ; writes++) if (!(await killAfter(writes, open))) return writes
}

/** @returns false if the run ends before so many writes */
async function killAfter(
  writes: number,
  open: (dataDir: string) => Promise<EmptyArchive>,
): Promise<boolean> {
  const dir = mkdtempSync(join(tmpdir(), 'killed-'))
  const address = await databaseIn(dir)
  const openIt = () => openDatabase(address, { clock: system.clock, create: true })
  let database = await openIt()
  try {
    const archive = await open(dir)
    await seedFirstDay(database)
    await runOn(await archive.partsOn(database), dir, [FIRST], at(SECOND))
    await database.close()
    const restore = await backUpDatabase(dir)
    database = await openIt()
    expect([await post(database, SECOND), await post(database, SECOND)]).toEqual([3n, 4n])
    const kill = new KillSwitch({ at: writes, moment: 'after' })
    const parts = await archive.partsOn(database, kill)
    const isKilled = await runOn(parts, dir, [SECOND], at(THIRD)).then(
      () => false,
      (error) => expect(error.message).toMatch(/killed$/) ?? true,
    )
    if (!isKilled) return false
    // A killed run is not taken for a restore.
    await compare(database, dir, archive.location)
    expect(await actionsIn(database)).toEqual([])
    await database.close()
    await restore()
    database = await openIt()
    await compare(database, dir, archive.location)
    await post(database, THIRD)
    await runOn(await archive.partsOn(database), dir, [SECOND, THIRD], at('2026-11-20'))
    await expectDisjoint(archive.place, `killed after ${kill.operations.at(-1)}, write ${writes}`)
    return true
  } finally {
    await database.close()
    await removeDatabase(dir)
    rmSync(dir, { recursive: true })
  }
}

async function seedFirstDay(database: Database): Promise<void> {
  const input = { path: 'lab', author_label: '' }
  await database.write((tx) =>
    publishAt(tx, directoryCreation, input, { at: at(FIRST), randomHex: system.randomHex }),
  )
  for (let i = 0; i < 2; i++) await post(database, FIRST)
}

/** @returns the id of the new message */
async function post(database: Database, day: string): Promise<bigint> {
  const input = { directory: 'lab', body: 'b', author_label: '' }
  return (
    await database.write((tx) =>
      publishAt(tx, messageCreation, input, { at: at(day), randomHex: system.randomHex }),
    )
  ).message_id
}

/** Compares, as a server does at its start. */
async function compare(database: Database, dir: string, location: ArchiveLocation): Promise<void> {
  const keys = readSigningKeys(join(dir, 'signing.key'))
  const keysAtHand = (origin: string) => keys.map((key) => verifierOf(origin, key))
  const archive = await openStatingPlace(location, () => 0)
  await compareWithArchive(database, archive, { keysAtHand, now: at(THIRD) })
}

const actionsIn = async ({ db }: Database) => (await readLog(db, 0n, 10)).map(({ act }) => act)

/** All three days are sealed, and no two of them state the same id. */
async function expectDisjoint(place: WritablePlace, moment: string): Promise<void> {
  const reader = new ArchiveReader(place)
  const ranges: string[] = []
  let before = 0n
  for (const day of await reader.days()) {
    const { records } = (await reader.manifest(day))!.manifest.snapshot
    const { first_message_id: first, last_message_id: last } = records!
    if (first === null || last === null) continue
    ranges.push(`${first} to ${last}`)
    expect(BigInt(first), `${moment}: ${ranges.join(', ')}`).toBeGreaterThan(before)
    before = BigInt(last)
  }
  expect(ranges.at(-1), moment).toMatch(/^(\d+) to \1$/)
}
