// Reads the records of a day that are visible now, in sections, each from a position on (API.md 9.15).
import { parseJson } from '../../archive/base/json.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import { type Answering, answersOf } from '../board/answers.ts'
import { compiled, compiledForValues } from '../database/compiled.ts'
import { type Queryable, VISIBLE, VISIBLE_MESSAGE } from '../database/database.ts'
import { nullIfUnavailable } from '../database/errors.ts'
import type { EntryKind } from '../database/schema/schema.ts'
import type { Source } from '../investigations/rules.ts'
import { cutPage } from '../wire/page.ts'
import { type Position, type SectionName, startOf } from './rules.ts'

type RowOf<Find extends (db: Queryable, request: never) => Promise<readonly Position[]>> = Awaited<
  ReturnType<Find>
>[number]

/** A message: plain, or the text of a question or contribution. */
export type DayMessage = RowOf<typeof messages> & { answering: Answering | undefined }

/** A question or a contribution, with its investigation. */
export type DayEntry = RowOf<typeof entries>

/** The records of each section. */
export type SectionRecords = { [Name in SectionName]: RowOf<(typeof READ)[Name]> }

/** The first records of a section from a position on, and whether more follow. */
export interface Section<Item> {
  items: readonly Item[]
  hasMore: boolean
}

/** What the page of a day shows of its records: the messages that it opens with, and the first of two sections. */
export type FirstRecords = { opening: readonly DayMessage[] } & {
  [Name in 'messages' | 'reviews']: Section<SectionRecords[Name]>
}

interface SectionRequest extends Position {
  /** The end of the day, exclusive [ms since 1970]. */
  to: bigint
  limit: number
}

interface Requested extends SectionRequest {
  /** The host of this board in addresses, from hostOf. */
  host: string
}

const visibleMessages = (db: Queryable) =>
  db
    .selectFrom('messages')
    .select(['messages.id', 'messages.publish_at as at', 'messages.author_label'])
    .where(VISIBLE_MESSAGE)

const messagesFrom = (db: Queryable, { at, id, to, limit }: SectionRequest) =>
  visibleMessages(db)
    .where('messages.publish_at', '>=', at)
    .where('messages.publish_at', '<', to)
    .where((eb) => eb.or([eb('messages.publish_at', '>', at), eb('messages.id', '>', id)]))
    .orderBy('messages.publish_at')
    .orderBy('messages.id')
    .limit(limit)

const inFull = (query: ReturnType<typeof visibleMessages>) =>
  query
    .innerJoin('directories', 'directories.id', 'messages.directory_id')
    .select(['directories.path as directory', 'messages.body'])

const messages = compiled((db, { at, id, to, limit }: SectionRequest) =>
  inFull(messagesFrom(db, { at, id, to, limit })),
)

const messagesById = compiledForValues((db, ids: readonly bigint[]) =>
  inFull(visibleMessages(db).where('messages.id', 'in', ids)),
)

const entriesFrom = (db: Queryable, request: SectionRequest) =>
  messagesFrom(db, request)
    .innerJoin('entries', 'entries.message_id', 'messages.id')
    .where('messages.investigation_id', 'is not', null)

const entries = compiled((db, { at, id, to, limit, kind }: SectionRequest & { kind: EntryKind }) =>
  entriesFrom(db, { at, id, to, limit })
    .innerJoin('investigations', 'investigations.id', 'entries.investigation_id')
    .where('entries.kind', '=', kind)
    .select(['messages.body', 'entries.kind', 'entries.investigation_id', 'investigations.title']),
)

const sources = compiled((db, { at, id, to, limit }: SectionRequest) =>
  entriesFrom(db, { at, id, to, limit })
    .where('entries.source_count', '>', 0n)
    .select('entries.sources'),
)

const directories = compiled((db, { at, id, to, limit }: SectionRequest) =>
  db
    .selectFrom('directories')
    .select(['id', 'created_at as at', 'path', 'author_label'])
    .where('visible', '=', VISIBLE)
    .where('created_at', '>=', at)
    .where('created_at', '<', to)
    .where((eb) => eb.or([eb('created_at', '>', at), eb('id', '>', id)]))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit),
)

const reviews = compiled((db, { at, id, to, limit }: SectionRequest) =>
  db
    .selectFrom('reviews')
    // SQLite never reorders a cross join, so that it starts with the few reviews of the day.
    .crossJoin('messages')
    .innerJoin('investigations', 'investigations.id', 'messages.investigation_id')
    .select(['reviews.id', 'reviews.created_at as at', 'reviews.message_id', 'reviews.outcome'])
    .select(['reviews.reason', 'investigations.id as investigation_id', 'investigations.title'])
    .whereRef('messages.id', '=', 'reviews.message_id')
    .where(VISIBLE_MESSAGE)
    .where('reviews.created_at', '>=', at)
    .where('reviews.created_at', '<', to)
    .where((eb) => eb.or([eb('reviews.created_at', '>', at), eb('reviews.id', '>', id)]))
    .orderBy('reviews.created_at')
    .orderBy('reviews.id')
    .limit(limit),
)

const ofKind = (kind: EntryKind) => (db: Queryable, request: Requested) =>
  entries(db, { ...request, kind })

async function withAnswers(
  db: Queryable,
  rows: readonly Omit<DayMessage, 'answering'>[],
  host: string,
): Promise<DayMessage[]> {
  const ids = rows.map(({ id }) => id)
  const answers = await answersOf(db, ids, host)
  return rows.map((row) => ({ ...row, answering: answers.get(row.id) }))
}

const READ = {
  messages: async (db: Queryable, request: Requested) =>
    withAnswers(db, await messages(db, request), request.host),
  questions: ofKind('question'),
  observations: ofKind('observation'),
  attempts: ofKind('attempt'),
  corrections: ofKind('correction'),
  results: ofKind('result'),
  reuses: ofKind('reuse'),
  sources: async (db: Queryable, request: Requested) =>
    (await sources(db, request)).map((row) => ({
      ...row,
      sources: parseJson(row.sources) as Source[],
    })),
  directories,
  reviews,
} satisfies Record<SectionName, (db: Queryable, request: Requested) => Promise<unknown>>

/** Reads the visible records of one section of a day after a position. @param request.host from hostOf */
export async function readSectionOf<Name extends SectionName>(
  db: Queryable,
  day: string,
  name: Name,
  { after = startOf(day), limit, host }: { after?: Position; limit: number; host: string },
): Promise<Section<SectionRecords[Name]>> {
  const to = BigInt(daySpan(day).to)
  const request = { ...after, to, limit: limit + 1, host }
  const found = (await READ[name](db, request)) as SectionRecords[Name][]
  const { rows, hasMore } = cutPage(found, limit)
  return { items: rows, hasMore }
}

/** Reads visible messages by their ids, in this order. @param host from hostOf */
export async function readMessages(
  db: Queryable,
  ids: readonly bigint[],
  host: string,
): Promise<DayMessage[]> {
  const found = await withAnswers(db, await messagesById(db, ids), host)
  return ids.flatMap((id) => found.find((one) => one.id === id) ?? [])
}

/**
 * Reads what a day's page shows of its records.
 * @param opening the ids of the messages with which it opens
 * @returns null while the database is unavailable
 */
export async function readFirstRecords(
  db: Queryable,
  day: string,
  opening: readonly bigint[],
  host: string,
): Promise<FirstRecords | null> {
  const read = async () => ({
    opening: await readMessages(db, opening, host),
    messages: await readSectionOf(db, day, 'messages', { limit: 30, host }),
    reviews: await readSectionOf(db, day, 'reviews', { limit: 5, host }),
  })
  return read().catch(nullIfUnavailable)
}
