// Finds a headline for a day among what is visible of it now (API.md 9.19). It is in no file of the archive, since what is
// hidden later must go from it.
import { sql } from 'kysely'
import { dayOf, daySpan, nextDay, previousDay } from '../../archive/format/calendar.ts'
import { EXCERPT_COLUMNS } from '../board/references.ts'
import { compiled } from '../database/compiled.ts'
import { isVisibleIn, type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import { isUnavailable } from '../database/errors.ts'
import { lastModeration } from '../database/records/sequences.ts'
import type { Clock } from '../system/system.ts'

/** A message, by its id and first characters. */
interface Words {
  id: bigint
  beginning: string
}

/** What was written on a day in one line, as far as it is visible. */
export type Headline =
  /** The newest result of the day, and the question that it answers. */
  | ({ kind: 'result'; title: string } & Words)
  /** The newest question of the day. */
  | ({ kind: 'question'; title: string } & Words)
  /** The message that is answered and mentioned most by the end of the next day. */
  | ({ kind: 'message' } & Words)
  /** The busiest directories, at most three. */
  | { kind: 'directories'; busiest: readonly { path: string; count: number }[] }

/** The headlines of days; those on which nothing is visible have none. */
export type Headlines = ReadonlyMap<string, Headline>

/** A span of time [ms since 1970]. */
interface Span {
  from: bigint
  /** Exclusive. */
  to: bigint
}

const BUSIEST = 3

const newestEntry = compiled((db, { from, to }: Span) =>
  db
    .selectFrom('messages')
    .innerJoin('entries', 'entries.message_id', 'messages.id')
    .innerJoin('investigations', 'investigations.id', 'entries.investigation_id')
    .select(['entries.kind', 'investigations.title', ...EXCERPT_COLUMNS])
    .where(VISIBLE_MESSAGE)
    .where('messages.investigation_id', 'is not', null)
    .where('messages.publish_at', '>=', from)
    .where('messages.publish_at', '<', to)
    .where('entries.kind', 'in', ['result', 'question'])
    // A result comes before a question.
    .orderBy('entries.kind', 'desc')
    .orderBy('messages.id', 'desc')
    .limit(1),
)

/** The first visible message from a time on. Ids ascend with time. */
const firstFrom = compiled((db, { from }: Pick<Span, 'from'>) =>
  db
    .selectFrom('messages')
    .select('messages.id')
    .where(VISIBLE_MESSAGE)
    .where('messages.publish_at', '>=', from)
    .orderBy('messages.publish_at')
    .orderBy('messages.id')
    .limit(1),
)

/** Reads the mentions of two days, of which there are few, and not their messages. */
const mostMentioned = compiled(
  (db, { first, next, last }: { first: bigint; next: bigint; last: bigint }) =>
    db
      .selectFrom('mentions')
      .innerJoin('messages as by', 'by.id', 'mentions.message_id')
      .innerJoin('messages', 'messages.id', 'mentions.target_id')
      .select(EXCERPT_COLUMNS)
      .where('mentions.message_id', '>=', first)
      .where('mentions.message_id', '<', last)
      .where('mentions.target_id', '>=', first)
      .where('mentions.target_id', '<', next)
      // An address with a host may be one of another board.
      .where('mentions.host', '=', '')
      .where(isVisibleIn('by'))
      .where(VISIBLE_MESSAGE)
      .groupBy(['messages.id', 'messages.author_label', 'messages.publish_at', 'messages.body'])
      .orderBy(sql`count(*)`, 'desc')
      .orderBy('messages.id')
      .limit(1),
)

const busiest = compiled((db, { from, to }: Span) =>
  db
    .selectFrom('messages')
    .innerJoin('directories', 'directories.id', 'messages.directory_id')
    .select(['directories.path', ({ fn }) => fn.countAll<bigint>().as('count')])
    .where(VISIBLE_MESSAGE)
    .where('messages.publish_at', '>=', from)
    .where('messages.publish_at', '<', to)
    .groupBy(['directories.id', 'directories.path'])
    .orderBy('count', 'desc')
    .orderBy('directories.path')
    .limit(BUSIEST),
)

async function headlineOf(db: Queryable, day: string): Promise<Headline | null> {
  const span = bigSpan(day)
  const [entry] = await newestEntry(db, span)
  if (entry) {
    const { kind, title, id, beginning } = entry
    return { kind: kind === 'result' ? kind : 'question', title, id, beginning }
  }
  const found = await mentioned(db, day)
  if (found) return { kind: 'message', id: found.id, beginning: found.beginning }
  const rows = await busiest(db, span)
  const counted = rows.map(({ path, count }) => ({ path, count: Number(count) }))
  return counted.length === 0 ? null : { kind: 'directories', busiest: counted }
}

/** Finds the message of a day that is mentioned most by the end of the next day, so that an old headline stands. */
async function mentioned(db: Queryable, day: string): Promise<Words | undefined> {
  const idFrom = async (at: string) => (await firstFrom(db, bigSpan(at)))[0]?.id ?? null
  const first = await idFrom(day)
  if (first === null) return undefined
  const END = 2n ** 63n - 1n
  const next = (await idFrom(nextDay(day))) ?? END
  const last = (await idFrom(nextDay(nextDay(day)))) ?? END
  const [found] = await mostMentioned(db, { first, next, last })
  return found
}

const bigSpan = (day: string): Span => {
  const { from, to } = daySpan(day)
  return { from: BigInt(from), to: BigInt(to) }
}

/** Reads headlines, and keeps those that only an operator can change: of days before yesterday, until the next action. */
export class HeadlineReader {
  readonly #db: Queryable
  readonly #clock: Pick<Clock, 'now'>
  readonly #kept = new Map<string, Headline | null>()
  #lastAction = 0n

  constructor(db: Queryable, clock: Pick<Clock, 'now'>) {
    this.#db = db
    this.#clock = clock
  }

  /** @returns none while the database is unavailable */
  async read(days: readonly string[]): Promise<Headlines> {
    try {
      // Before the headlines: an action in between then empties what is kept at the next call.
      const action = await lastModeration(this.#db)
      if (action !== this.#lastAction) this.#kept.clear()
      this.#lastAction = action
      const found = new Map<string, Headline>()
      for (const day of days) {
        const headline = await this.#headlineOf(day)
        if (headline) found.set(day, headline)
      }
      return found
    } catch (error) {
      if (isUnavailable(error)) return new Map()
      throw error
    }
  }

  async #headlineOf(day: string): Promise<Headline | null> {
    const known = this.#kept.get(day)
    if (known !== undefined) return known
    const headline = await headlineOf(this.#db, day)
    const yesterday = previousDay(dayOf(this.#clock.now()))
    if (day < yesterday) this.#kept.set(day, headline)
    return headline
  }
}
