// Keeps the leaves of a day's messages in the archive (FORMAT.md 22): writes them before the day is sealed, and restores
// them afterwards.
import { daySpan } from '../../archive/format/calendar.ts'
import { LEAF_LINE_BYTES, leavesBytes } from '../../archive/format/leaves.ts'
import { leavesKey, leavesName, snapshotKey } from '../../archive/format/paths.ts'
import { hasMessages, type Snapshot } from '../../archive/format/snapshot.ts'
import { differingRecords } from '../../archive/log/sealed-records.ts'
import type { Place } from '../../archive/place/place.ts'
import { readDayRecords } from '../../server/data/recorded.ts'
import { readCopy } from '../run/archive.ts'
import type { Run } from '../run/session.ts'

type Archive = Pick<Run, 'database' | 'archive'>

/**
 * Makes sure that a day which is about to be sealed has the leaves that it should have: those of its fixed snapshot.
 * @throws Error with the remedy if they are lost, and the database has other messages now
 */
export async function requireLeaves(archive: Archive, snapshot: Snapshot): Promise<void> {
  if ((await restoreLeaves(archive, snapshot)) !== 'lost') return
  const { day } = snapshot
  throw new Error(
    `${leavesKey(day)}: is missing, and the database has other messages now than ${snapshotKey(day)} states; ` +
      'remove the latter, so that the day is counted again',
  )
}

/**
 * Restores the leaves of a sealed day from the database.
 * @returns whether they had to be restored
 * @throws Error with the remedy if the database has other messages
 */
export async function repairLeaves(archive: Archive, snapshot: Snapshot): Promise<boolean> {
  const outcome = await restoreLeaves(archive, snapshot)
  if (outcome !== 'lost') return outcome === 'restored'
  throw new Error(
    `${leavesName(snapshot.day)}: the database has other messages; restore it with --repair --from PLACE`,
  )
}

/** Restores the leaves of a sealed day from a copy. @returns the name of the file; null if there was no need, or no file */
export async function copyLeaves(
  { archive: { writer } }: Archive,
  copy: Place,
  snapshot: Snapshot,
): Promise<string | null> {
  const { day, records } = snapshot
  if (!hasMessages(records) || (await writer.hasLeaves(snapshot))) return null
  const bytes = await readCopy(copy, leavesKey(day), Number(records.count) * LEAF_LINE_BYTES)
  if (!bytes) return null
  await writer.putLeaves(snapshot, bytes)
  return leavesName(day)
}

async function restoreLeaves(
  { archive: { writer }, database }: Archive,
  snapshot: Snapshot,
): Promise<'present' | 'restored' | 'lost'> {
  const { day, records } = snapshot
  if (!hasMessages(records) || (await writer.hasLeaves(snapshot))) return 'present'
  const found = await database.read((tx) => readDayRecords(tx, daySpan(day)))
  if (differingRecords(records, found.records).length > 0) return 'lost'
  await writer.putLeaves(snapshot, leavesBytes(found.leaves))
  return 'restored'
}
