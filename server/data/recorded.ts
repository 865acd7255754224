// Reads the messages of a day, including hidden ones and without their bodies, and computes its records (FORMAT.md 18).
import type { Interval } from '../../archive/format/calendar.ts'
import {
  type ErasedMessage,
  messageLeaf,
  type RecordedMessage,
  sealedRecordsWith,
} from '../../archive/log/sealed-records.ts'
import { GrowingTree, type Hash } from '../../archive/log/tree.ts'
import { compiled } from '../database/compiled.ts'
import { NOT_VISIBLE, type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import { instant } from '../wire/instant.ts'

/** Rows of a page: few enough to read in a few milliseconds, so that a server can do it between requests. */
const PAGE = 200

interface Cursor {
  at: bigint
  id: bigint
}

/**
 * Reads the messages published in an interval, in pages and in no particular order.
 * Outside a transaction, a message that is hidden or shown in the meantime may be returned twice or not at all.
 */
export async function* readRecorded(
  db: Queryable,
  span: Interval,
): AsyncGenerator<(RecordedMessage | ErasedMessage)[]> {
  const to = BigInt(span.to)
  for (const pageAfter of PAGES) {
    let after: Cursor | null = { at: BigInt(span.from), id: -1n }
    while (after) {
      const rows: RecordedRow[] = await pageAfter(db, { ...after, to })
      yield rows.map(asStored)
      const last = rows.at(-1)
      after = last && rows.length === PAGE ? { at: last.publish_at, id: last.id } : null
    }
  }
}

/** Leaves added to a tree before the next pause: a few milliseconds of work. */
const LEAVES_PER_TURN = 2000

/**
 * Computes the records of a day (FORMAT.md 18) from the messages in the database.
 * @param pause called between parts of the work, which a server does not do in one go
 * @returns the property of the day's snapshot, and the leaves, ascending by id
 */
export async function readDayRecords(
  db: Queryable,
  span: Interval,
  pause = async (): Promise<void> => {},
) {
  // A message that is read twice counts once.
  const found = new Map<bigint, Hash>()
  for await (const page of readRecorded(db, span)) {
    for (const message of page) found.set(message.id, messageLeaf(message))
    await pause()
  }
  // Ascending, which is the order of the tree. Sorts 200,000 ids in about 15 ms.
  const ids = BigInt64Array.from(found.keys()).sort()
  const tree = new GrowingTree()
  const leaves: Hash[] = []
  for (const [index, id] of ids.entries()) {
    if (index % LEAVES_PER_TURN === 0) await pause()
    const leaf = found.get(id) as Hash
    tree.add(leaf)
    leaves.push(leaf)
  }
  return { records: sealedRecordsWith(ids, tree.root()), leaves }
}

/** Reads the messages with ids from `first` to `last` that were published in the span, in id order. */
export async function readRecordedRange(
  db: Queryable,
  { first, last }: { first: bigint; last: bigint },
  span: Interval,
): Promise<(RecordedMessage | ErasedMessage)[]> {
  const rows = await recordedIn(db, { first, last }).orderBy('messages.id').execute()
  const isIn = ({ publish_at: at }: RecordedRow) => at >= span.from && at < span.to
  return rows.filter(isIn).map(asStored)
}

/** Computes the leaf of a message that is not erased, hidden or not, as a row of `erasures`. */
export async function erasureOf(db: Queryable, id: bigint) {
  const row = await recordedQuery(db).where('messages.id', '=', id).executeTakeFirstOrThrow()
  return { message_id: id, leaf: Buffer.from(messageLeaf(asRecorded(row))).toString('hex') }
}

/** Reads a message's leaf fields; null if it is missing or hidden. */
export async function findRecorded(db: Queryable, id: bigint): Promise<RecordedMessage | null> {
  const row = await recordedQuery(db)
    .where('messages.id', '=', id)
    .where(VISIBLE_MESSAGE)
    .executeTakeFirst()
  return row ? asRecorded(row) : null
}

const recordedQuery = (db: Queryable) =>
  db
    .selectFrom('messages')
    .innerJoin('directories', 'directories.id', 'messages.directory_id')
    .leftJoin('entries', 'entries.message_id', 'messages.id')
    .leftJoin('erasures', 'erasures.message_id', 'messages.id')
    .leftJoin('investigations', 'investigations.root_message_id', 'messages.id')
    .select([
      'messages.id',
      'directories.path as directory',
      'messages.body_hash',
      'messages.received_at',
      'messages.publish_at',
      'messages.author_label',
      'messages.salt',
      'entries.investigation_id',
      'entries.kind',
      'investigations.title',
      'entries.sources',
      'entries.links',
      'erasures.leaf',
    ])

/** Selects the messages with ids from `first` to `last`, hidden or not. */
export const recordedIn = (db: Queryable, { first, last }: { first: bigint; last: bigint }) =>
  recordedQuery(db).where('messages.id', '>=', first).where('messages.id', '<=', last)

type RecordedRow = Awaited<ReturnType<ReturnType<typeof recordedQuery>['executeTakeFirstOrThrow']>>

/** The queries of a page of visible messages, and of a page of the others. */
const PAGES = [VISIBLE, NOT_VISIBLE].map((visible) =>
  compiled((db, { at, id, to }: Cursor & { to: bigint }) =>
    recordedQuery(db)
      .where('messages.visible', '=', visible)
      .where('messages.publish_at', '>=', at)
      .where('messages.publish_at', '<', to)
      .where((eb) => eb.or([eb('messages.publish_at', '>', at), eb('messages.id', '>', id)]))
      .orderBy('messages.publish_at')
      .orderBy('messages.id')
      .limit(PAGE),
  ),
)

const asStored = (row: RecordedRow): RecordedMessage | ErasedMessage =>
  row.leaf === null ? asRecorded(row) : { id: row.id, leaf: Buffer.from(row.leaf, 'hex') }

function asRecorded(row: RecordedRow): RecordedMessage {
  const { investigation_id: investigationId, kind, title, sources, links } = row
  const isEntry = investigationId !== null && kind !== null && sources !== null && links !== null
  return {
    id: row.id,
    directory: row.directory,
    bodyHash: row.body_hash,
    receivedAt: instant(row.received_at),
    publishAt: instant(row.publish_at),
    authorLabel: row.author_label,
    entry: isEntry ? { investigationId, kind, title, sources, links } : null,
    salt: row.salt,
  }
}
