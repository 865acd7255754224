// Reads the records that a batch depends on at once, and writes the records that it adds at once.
import type { Insertable } from 'kysely'
import { compiledForValues } from '../database/compiled.ts'
import { type Transaction, VISIBLE } from '../database/database.ts'
import { lockSequences } from '../database/records/sequences.ts'
import type { Schema, TableName } from '../database/schema/schema.ts'
import { insertRows } from '../database/transfer.ts'
import { indexMessages } from '../database/words/messages.ts'
import type { System } from '../system/system.ts'

/** The length of a message's salt (FORMAT.md 18.2). */
const SALT_BYTES = 16

/** The records that a request refers to, for the batch to look up. */
export interface Needs {
  /** Paths. */
  directories?: readonly string[]
  /** Ids. */
  investigations?: readonly bigint[]
  /** Ids. */
  messages?: readonly bigint[]
}

/** A row to insert, without the columns of moderation, because a new record is always visible, and without its salt. */
export type NewRow<Table extends TableName> = Required<
  Omit<Insertable<Schema[Table]>, 'hidden' | 'visible' | 'salt'>
>

const findDirectories = compiledForValues((db, paths: readonly string[]) =>
  db.selectFrom('directories').select(['id', 'path', 'visible']).where('path', 'in', paths),
)

const findInvestigations = compiledForValues((db, ids: readonly bigint[]) =>
  db
    .selectFrom('investigations')
    .select(['id', 'directory_id'])
    .where('id', 'in', ids)
    .where('visible', '=', VISIBLE),
)

const findMessages = compiledForValues((db, ids: readonly bigint[]) =>
  db.selectFrom('messages').select(['id', 'visible']).where('id', 'in', ids),
)

/** The records that a batch can see, including those that its earlier requests have added. */
export type BatchRecords = Awaited<ReturnType<typeof readRecords>>

/**
 * Locks the sequences, then reads.
 * @param randomHex makes the salts of new messages
 */
export async function readRecords(
  tx: Transaction,
  needs: readonly Needs[],
  randomHex: System['randomHex'],
) {
  const sequences = await lockSequences(tx)
  const { directories, investigations, messages } = await readKnown(tx, needs)
  const added = nothing()
  return {
    sequences,
    /** Returns a directory, visible or not; undefined if it does not exist. */
    directory: (path: string) => directories.get(path),
    /** Returns the directory id of a visible investigation. */
    directoryOfInvestigation: (id: bigint) => investigations.get(id),
    /** Whether a message exists, visible or not. */
    isMessage: (id: bigint) => messages.has(id),
    isVisibleMessage: (id: bigint) => messages.get(id) === true,
    addDirectory(row: NewRow<'directories'>): void {
      added.directories.push(row)
      directories.set(row.path, { id: row.id, isVisible: true })
    },
    addMessage(row: NewRow<'messages'>, mentions: readonly NewRow<'mentions'>[]): void {
      added.messages.push({ ...row, salt: randomHex(SALT_BYTES) })
      added.mentions.push(...mentions)
      messages.set(row.id, true)
    },
    /** Adds the investigation only; its question is added as a message and an entry. */
    addInvestigation(row: NewRow<'investigations'>): void {
      added.investigations.push(row)
      investigations.set(row.id, row.directory_id)
    },
    addEntry(row: NewRow<'entries'>, links: readonly NewRow<'links'>[]): void {
      added.entries.push(row)
      added.links.push(...links)
    },
    /** Writes the added records; without any it does nothing. */
    async write(): Promise<void> {
      await writeRows(tx, added)
      if (added.directories.length + added.messages.length > 0) await sequences.save()
    },
  }
}

async function readKnown(tx: Transaction, needs: readonly Needs[]) {
  const paths = needs.flatMap((need) => need.directories ?? [])
  const investigationIds = needs.flatMap((need) => need.investigations ?? [])
  const messageIds = needs.flatMap((need) => need.messages ?? [])
  const directories = new Map<string, { id: bigint; isVisible: boolean }>()
  for (const { id, path, visible } of await findDirectories(tx, distinct(paths)))
    directories.set(path, { id, isVisible: visible === 1n })
  const found = await findInvestigations(tx, distinct(investigationIds))
  const written = await findMessages(tx, distinct(messageIds))
  return {
    directories,
    /** Directory ids of visible investigations, by investigation id. */
    investigations: new Map(found.map(({ id, directory_id }) => [id, directory_id])),
    /** Whether messages are visible, by id. */
    messages: new Map(written.map(({ id, visible }) => [id, visible === 1n])),
  }
}

const nothing = () => ({
  directories: [] as NewRow<'directories'>[],
  messages: [] as (NewRow<'messages'> & { salt: string })[],
  investigations: [] as NewRow<'investigations'>[],
  entries: [] as NewRow<'entries'>[],
  links: [] as NewRow<'links'>[],
  mentions: [] as NewRow<'mentions'>[],
})

async function writeRows(tx: Transaction, added: ReturnType<typeof nothing>): Promise<void> {
  const { messages } = added
  await insertRows(tx, 'directories', added.directories.map(asVisible))
  await insertRows(tx, 'messages', messages.map(asVisible))
  await insertRows(tx, 'investigations', added.investigations.map(asVisible))
  await insertRows(tx, 'entries', added.entries)
  await insertRows(tx, 'links', added.links)
  await insertRows(tx, 'mentions', added.mentions)
  const [first, last] = [messages[0], messages.at(-1)]
  // The sequence is locked, so the ids between are of this batch.
  if (first && last) await indexMessages(tx, { first: first.id, last: last.id })
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

const asVisible = <Row extends object>(row: Row) => ({ ...row, hidden: 0, visible: 1 }) as const
