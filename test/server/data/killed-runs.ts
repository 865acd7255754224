// Kills a run after each of its writes, then compares its database with the archive: as it is, and restored from a copy.
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ArchiveLocation } from '../../../archive/place/location.ts'
import { openPlace } from '../../../archive/place/open.ts'
import type { Place, WritablePlace } from '../../../archive/place/place.ts'
import { ArchiveReader } from '../../../archive/reading/reader.ts'
import { compareWithArchive } from '../../../server/data/restored.ts'
import type { Database } from '../../../server/database/database.ts'
import { readLog } from '../../../server/database/records/action-log.ts'
import { backUpDatabase, databaseIn, openExisting } from '../../support/database.ts'
import { type KillSwitch, killAtEveryStep } from '../../support/kill-switch.ts'
import { publisherIn } from '../../support/publish.ts'
import { temporaryFolder } from '../../support/release.ts'
import { type Parts, runOn } from '../../support/sealing.ts'

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
  let dir: string
  let database: Database
  let archive: EmptyArchive
  let restore: () => Promise<void>
  const reopen = async () => {
    database = await openExisting(await databaseIn(dir))
  }
  const work = async (kill: KillSwitch) => {
    dir = temporaryFolder()
    await reopen()
    archive = await open(dir)
    await seedFirstDay(database)
    await runOn(await archive.partsOn(database), dir, [FIRST], at(SECOND))
    await database.close()
    restore = await backUpDatabase(dir)
    await reopen()
    expect([await post(database, SECOND), await post(database, SECOND)]).toEqual([3n, 4n])
    await runOn(await archive.partsOn(database, kill), dir, [SECOND], at(THIRD))
  }
  return killAtEveryStep(work, async (label) => {
    // A killed run is not taken for a restore.
    await compare(database, dir, archive.location)
    expect(await actionsIn(database)).toEqual([])
    await database.close()
    await restore()
    await reopen()
    await compare(database, dir, archive.location)
    await post(database, THIRD)
    await runOn(await archive.partsOn(database), dir, [SECOND, THIRD], at('2026-11-20'))
    await expectDisjoint(archive.place, label)
  })
}

async function seedFirstDay(database: Database): Promise<void> {
  await publisherIn(database).directory('lab', at(FIRST))
  for (let i = 0; i < 2; i++) await post(database, FIRST)
}

const post = (database: Database, day: string) => publisherIn(database).message('lab', at(day))

/** Compares, as a server does at its start. */
async function compare(database: Database, dir: string, location: ArchiveLocation): Promise<void> {
  const signingKeyFile = join(dir, 'signing.key')
  const archive = await openPlace(location, { random: () => 0 })
  await compareWithArchive(database, archive, { signingKeyFile, now: at(THIRD) })
}

const actionsIn = async ({ db }: Database) => (await readLog(db, 0n, 10)).map(({ act }) => act)

/** All three days are sealed, and no two of them state the same id. */
async function expectDisjoint(place: WritablePlace, moment: string): Promise<void> {
  const ranges = await statedRanges(place)
  const shown = ranges.map(({ first, last }) => `${first} to ${last}`)
  for (const [i, { first }] of ranges.entries())
    expect(first, `${moment}: ${shown.join(', ')}`).toBeGreaterThan(ranges[i - 1]?.last ?? 0n)
  expect(shown.at(-1), moment).toMatch(/^(\d+) to \1$/)
}

/** The ids that the sealed days state, ascending by day; without days that have no message. */
export async function statedRanges(place: Place): Promise<{ first: bigint; last: bigint }[]> {
  const reader = new ArchiveReader(place)
  const ranges: { first: bigint; last: bigint }[] = []
  for (const day of await reader.days()) {
    const records = (await reader.manifest(day))?.manifest.snapshot.records
    const { first_message_id: first, last_message_id: last } = records!
    if (first !== null && last !== null) ranges.push({ first: BigInt(first), last: BigInt(last) })
  }
  return ranges
}
