// Reads the records that a batch depends on at once, and writes the records that it adds at once.
import type { Insertable } from 'kysely'
import { compiledForValues } from '../database/compiled.ts'
import { type Transaction, VISIBLE } from '../database/database.ts'
import { lockSequences, type Sequences } from '../database/records/sequences.ts'
import type { Schema, TableName } from '../database/schema/schema.ts'
import { insertRows } from '../database/transfer.ts'
import { indexMessages } from '../database/words/messages.ts'
import type { System } from '../system/system.ts'

type RandomHex = System['randomHex']

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

export interface KnownDirectory {
  id: bigint
  isVisible: boolean
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

const VISIBLE_COLUMNS = { hidden: 0, visible: 1 } as const

/** The records that a batch can see, including those that its earlier requests have added. */
export class BatchRecords {
  readonly sequences: Sequences
  readonly #randomHex: RandomHex
  readonly #directories = new Map<string, KnownDirectory>()
  /** Directory ids of visible investigations, by investigation id. */
  readonly #investigations = new Map<bigint, bigint>()
  /** Whether messages are visible, by id. */
  readonly #messages = new Map<bigint, boolean>()
  readonly #added = {
    directories: [] as NewRow<'directories'>[],
    messages: [] as (NewRow<'messages'> & { salt: string })[],
    investigations: [] as NewRow<'investigations'>[],
    entries: [] as NewRow<'entries'>[],
    links: [] as NewRow<'links'>[],
    mentions: [] as NewRow<'mentions'>[],
  }

  private constructor(sequences: Sequences, randomHex: RandomHex) {
    this.sequences = sequences
    this.#randomHex = randomHex
  }

  /**
   * Locks the sequences, then reads.
   * @param randomHex makes the salts of new messages
   */
  static async read(
    tx: Transaction,
    needs: readonly Needs[],
    randomHex: RandomHex,
  ): Promise<BatchRecords> {
    const records = new BatchRecords(await lockSequences(tx), randomHex)
    const paths = needs.flatMap((need) => need.directories ?? [])
    const investigationIds = needs.flatMap((need) => need.investigations ?? [])
    const messageIds = needs.flatMap((need) => need.messages ?? [])
    for (const { id, path, visible } of await findDirectories(tx, distinct(paths)))
      records.#directories.set(path, { id, isVisible: visible === 1n })
    for (const { id, directory_id } of await findInvestigations(tx, distinct(investigationIds)))
      records.#investigations.set(id, directory_id)
    for (const { id, visible } of await findMessages(tx, distinct(messageIds)))
      records.#messages.set(id, visible === 1n)
    return records
  }

  /** Returns a directory, visible or not; undefined if it does not exist. */
  directory(path: string): KnownDirectory | undefined {
    return this.#directories.get(path)
  }

  /** Returns the directory id of a visible investigation. */
  directoryOfInvestigation(id: bigint): bigint | undefined {
    return this.#investigations.get(id)
  }

  /** Whether a message exists, visible or not. */
  isMessage(id: bigint): boolean {
    return this.#messages.has(id)
  }

  isVisibleMessage(id: bigint): boolean {
    return this.#messages.get(id) === true
  }

  addDirectory(row: NewRow<'directories'>): void {
    this.#added.directories.push(row)
    this.#directories.set(row.path, { id: row.id, isVisible: true })
  }

  addMessage(row: NewRow<'messages'>, mentions: readonly NewRow<'mentions'>[]): void {
    this.#added.messages.push({ ...row, salt: this.#randomHex(SALT_BYTES) })
    this.#added.mentions.push(...mentions)
    this.#messages.set(row.id, true)
  }

  /** Adds the investigation only; its question is added as a message and an entry. */
  addInvestigation(row: NewRow<'investigations'>): void {
    this.#added.investigations.push(row)
    this.#investigations.set(row.id, row.directory_id)
  }

  addEntry(row: NewRow<'entries'>, links: readonly NewRow<'links'>[]): void {
    this.#added.entries.push(row)
    this.#added.links.push(...links)
  }

  /** Writes the added records; without any it does nothing. */
  async write(tx: Transaction): Promise<void> {
    const { directories, messages, investigations, entries, links, mentions } = this.#added
    await insertRows(tx, 'directories', directories.map(asVisible))
    await insertRows(tx, 'messages', messages.map(asVisible))
    await insertRows(tx, 'investigations', investigations.map(asVisible))
    await insertRows(tx, 'entries', entries)
    await insertRows(tx, 'links', links)
    await insertRows(tx, 'mentions', mentions)
    const [first, last] = [messages[0], messages.at(-1)]
    // The sequence is locked, so the ids between are of this batch.
    if (first && last) await indexMessages(tx, { first: first.id, last: last.id })
    if (directories.length + messages.length > 0) await this.sequences.save()
  }
}

const distinct = <T>(values: readonly T[]): T[] => [...new Set(values)]

const asVisible = <Row extends object>(row: Row) => ({ ...row, ...VISIBLE_COLUMNS })
