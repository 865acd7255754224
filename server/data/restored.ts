// Notices that the database is older than its archive, as after a restore, and keeps it from giving ids to new messages
// that sealed days state for lost ones (API.md 4.5, 9.14).
import { MAX_ID } from '../../archive/format/scalars.ts'
import {
  readStatement,
  type Statement,
  type StatementOptions,
  type StatingPlace,
} from '../../archive/reading/stated-days.ts'
import type { Database, Transaction } from '../database/database.ts'
import { logAction } from '../database/records/action-log.ts'
import { lastIssued, raiseFloor, raiseSequence } from '../database/records/sequences.ts'
import { readSetting } from '../database/settings/settings.ts'

/** The setting with the newest signed checkpoint of the log of days. */
export const LOG_CHECKPOINT = 'log.checkpoint'

/** Messages that an archive states and that the database does not have, because it was restored from an older copy. */
export interface LostMessages {
  first: bigint
  last: bigint
  /** The sealed day or days that state them, in words. */
  statedBy: string
}

/**
 * Compares the database with the newest days of its archive. If they state ids that it has not issued yet, new records
 * continue after them. Safe to call at any time and by several processes at once.
 * @throws ArchiveError `archive_unavailable`; DatabaseUnavailable
 */
export async function compareWithArchive(
  database: Pick<Database, 'db' | 'write'>,
  archive: StatingPlace,
  options: StatementOptions,
) {
  for (;;) {
    const checkpoint = await readSetting(database.db, LOG_CHECKPOINT)
    const issued = await lastIssued(database.db, 'message')
    const statement = await readStatement(archive, { checkpoint, issued }, options)
    const comparison = await database.write(async (tx, opening) => {
      // Otherwise an older database has replaced this one, and more days may state ids that it has not issued.
      if ((await lastIssued(tx, 'message')) < issued) return null
      const lost = await continueAfter(tx, statement, options.now)
      return {
        /** What this comparison has found first; null if there is nothing. */
        lost,
        /** Why the archive, or some of its days, could not be compared: damage, which another try does not mend. */
        problems: statement.problems,
        opening,
      }
    })
    if (comparison) return comparison
  }
}

/** Continues the sequences after the ids that sealed days state. @returns the lost messages, the first time only */
async function continueAfter(
  tx: Transaction,
  { days, lastId, newestEnd }: Statement,
  now: number,
): Promise<LostMessages | null> {
  const issued = await lastIssued(tx, 'message')
  if (lastId <= issued) return null
  // Each lost investigation has a lost message, its question.
  const investigations = (await lastIssued(tx, 'investigation')) + lastId - issued
  await raiseSequence(tx, 'message', lastId)
  await raiseSequence(tx, 'investigation', investigations < MAX_ID ? investigations : MAX_ID)
  await raiseFloor(tx, newestEnd)
  const statedBy = days.length === 1 ? `${days[0]}` : `days from ${days[0]} to ${days.at(-1)}`
  const lost = { first: issued + 1n, last: lastId, statedBy }
  const target = `messages ${lost.first} to ${lost.last}`
  const reason = `lost: stated by ${statedBy}, but not in this database`
  await logAction(tx, { act: 'restored', target_kind: 'service', target, reason }, now)
  return lost
}

export const lineOfLost = ({ first, last, statedBy }: LostMessages): string =>
  `this database is older than the archive: messages ${first} to ${last}, stated by ${statedBy}, ` +
  `are lost; new ones begin at ${last + 1n}`
