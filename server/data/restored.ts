// Notices that the database is older than its archive, as after a restore, and keeps it from giving ids to new messages
// that sealed days state for lost ones (API.md 4.5, 9.14).
import type { Transaction } from 'kysely'
import { type ArchiveError, isArchiveError } from '../../archive/base/errors.ts'
import { MAX_ID } from '../../archive/format/scalars.ts'
import {
  readStatement,
  type Statement,
  type StatementOptions,
  type StatingPlace,
} from '../../archive/reading/stated-days.ts'
import type { Database, Opening } from '../database/database.ts'
import { logAction } from '../database/records/action-log.ts'
import { lastIssued, raiseFloor, raiseSequence } from '../database/records/sequences.ts'
import type { Schema } from '../database/schema/schema.ts'
import { readSetting } from '../database/settings/settings.ts'

/** The setting with the newest signed checkpoint of the log of days. */
export const LOG_CHECKPOINT = 'log.checkpoint'

/** Messages that an archive states and that the database does not have, because it was restored from an older copy. */
export interface LostMessages {
  /** The first and the last sealed day that state them. */
  days: { first: string; last: string }
  first: bigint
  last: bigint
}

export interface Comparison {
  /** What this comparison has found first; null if there is nothing. */
  lost: LostMessages | null
  /** Why the archive, or some of its days, could not be compared. */
  failures: readonly ArchiveError[]
  /** What the database was when it was compared. */
  opening: Opening
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
): Promise<Comparison> {
  for (;;) {
    const checkpoint = await readSetting(database.db, LOG_CHECKPOINT)
    const issued = await lastIssued(database.db, 'message')
    const known = { checkpoint, issued }
    const statement = await readStatement(archive, known, options).catch(unlessUnavailable)
    const comparison = await database.write(async (tx, opening) => {
      // Otherwise an older database has replaced this one, and more days may state ids that it has not issued.
      if ((await lastIssued(tx, 'message')) < issued) return null
      if (isArchiveError(statement)) return { lost: null, failures: [statement], opening }
      const lost = await continueAfter(tx, statement, options.now)
      return { lost, failures: statement.failures, opening }
    })
    if (comparison) return comparison
  }
}

/** Returns an error that waiting does not end; another try could not do better. */
function unlessUnavailable(error: unknown): ArchiveError {
  if (isArchiveError(error) && error.code !== 'archive_unavailable') return error
  throw error
}

/** Continues the sequences after the ids that sealed days state. @returns the lost messages, the first time only */
async function continueAfter(
  tx: Transaction<Schema>,
  { days, newestEnd }: Statement,
  now: number,
): Promise<LostMessages | null> {
  const issued = await lastIssued(tx, 'message')
  const above = days.filter(({ lastId }) => lastId > issued)
  const [first] = above
  const last = above.at(-1)
  if (!first || !last) return null
  const stated = above.reduce((max, { lastId }) => (lastId > max ? lastId : max), issued)
  // Each lost investigation has a lost message, its question.
  const investigations = (await lastIssued(tx, 'investigation')) + stated - issued
  await raiseSequence(tx, 'message', stated)
  await raiseSequence(tx, 'investigation', investigations < MAX_ID ? investigations : MAX_ID)
  await raiseFloor(tx, newestEnd)
  const lost = { days: { first: first.day, last: last.day }, first: issued + 1n, last: stated }
  await logAction(tx, actionOf(lost), now)
  return lost
}

const actionOf = (lost: LostMessages) =>
  ({
    act: 'restored',
    target_kind: 'service',
    target: `messages ${lost.first} to ${lost.last}`,
    reason: `lost: stated by ${statedBy(lost)}, but not in this database`,
  }) as const

/** The line that reports lost messages to an operator. */
export const lineOfLost = (lost: LostMessages): string =>
  `this database is older than the archive: messages ${lost.first} to ${lost.last}, stated by ` +
  `${statedBy(lost)}, are lost; new ones begin at ${lost.last + 1n}`

const statedBy = ({ days: { first, last } }: LostMessages): string =>
  first === last ? first : `days from ${first} to ${last}`
