// Reads which messages answer which (API.md 4.9): what each of a list answers, how many answer it, which one corrects it and
// what it is in an investigation; and the thread around one message.
import { type RawBuilder, sql } from 'kysely'
import { MAX_ID } from '../../archive/format/scalars.ts'
import { compiled, compiledForEach } from '../database/compiled.ts'
import { isVisibleIn, type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import type { EntryKind } from '../database/schema/schema.ts'
import { asExcerpt, EXCERPT_COLUMNS, type Excerpt, type ExcerptRow } from './references.ts'

/** What a list states of a message, without hidden ones: what it answers, what answers or corrects it, and its investigation. */
export interface Answering {
  to: Excerpt | undefined
  /** Undefined for a message outside of investigations; the title is that of its investigation. */
  entry: { kind: EntryKind; investigation_id: bigint; title: string } | undefined
  /** The number of messages that answer it, of which at most MAX_COUNTED are counted. */
  count: number
  /** The number of contributions to its question, of which at most MAX_COUNTED are counted; 0 if it is none. */
  contributions: number
  /** The newest message that corrects it. */
  correction: bigint | null
}

/** By the ids of messages; those that belong to nothing are left out. */
export type Answers = ReadonlyMap<bigint, Answering>

/** Answers that are counted: a count must not read all of a message that very many answer. */
export const MAX_COUNTED = 100

/** Whether a row of `mentions` is an answer on this board. At most one of a message is. `|| ''` spares a search per host. */
export const isAnswer = (host: string): RawBuilder<boolean> =>
  sql`(mentions.answers = 1 and mentions.host || '' in ('', ${host}))`

/**
 * Whether a message of a query mentions or answers messages, visible or not, on any board, or they it.
 * @param answers 1 for answers, 0 for other mentions
 */
export const isEndOf = (answers: 0 | 1): RawBuilder<unknown> => sql`(exists (
  select 1 from mentions where mentions.message_id = messages.id and mentions.answers = ${sql.lit(answers)})
  or exists (
  select 1 from mentions where mentions.target_id = messages.id and mentions.answers = ${sql.lit(answers)}))`

const counted = (rows: RawBuilder<unknown>): RawBuilder<bigint> =>
  sql`(select count(*) from (${rows} limit ${sql.lit(MAX_COUNTED)}) as counted)`

/** What visible messages say of one that is joined with its entry. @param id a column with its id */
function standingIn(id: string, host: string) {
  const answers = sql`select 1 as one from mentions
    inner join messages as answer on answer.id = mentions.message_id
    where mentions.target_id = ${sql.ref(id)} and ${isAnswer(host)} and ${isVisibleIn('answer')}`
  const contributions = sql`select 1 as one from messages as part
    where part.investigation_id = entries.investigation_id and part.id > ${sql.ref(id)} and ${isVisibleIn('part')}`
  const ofQuestion = sql<bigint>`case entries.kind when 'question' then ${counted(contributions)} else 0 end`
  const newest = sql<bigint | null>`(select links.message_id from links
    inner join messages as correction on correction.id = links.message_id
    where links.target_id = ${sql.ref(id)} and links.relation = 'corrects' and ${isVisibleIn('correction')}
    order by links.message_id desc limit 1)`
  const counts = [counted(answers).as('count'), ofQuestion.as('contributions')]
  return [...counts, newest.as('correction')] as const
}

const ENTRY_COLUMNS = ['entries.kind', 'entries.investigation_id', 'investigations.title'] as const

export interface Listed {
  id: bigint
  /** The host of this board in addresses, from hostOf. */
  host: string
}

const findAnswers = compiledForEach((db, listed: readonly Listed[]) => {
  const host = listed[0]?.host ?? ''
  const ids = listed.map(({ id }) => id)
  return db
    .selectFrom('messages as listed')
    .leftJoin('mentions', (join) =>
      join.onRef('mentions.message_id', '=', 'listed.id').on(isAnswer(host)),
    )
    .leftJoin('messages', (join) =>
      join.onRef('messages.id', '=', 'mentions.target_id').on(VISIBLE_MESSAGE),
    )
    .leftJoin('entries', 'entries.message_id', 'listed.id')
    .leftJoin('investigations', 'investigations.id', 'entries.investigation_id')
    .select(['listed.id as of', ...ENTRY_COLUMNS, ...EXCERPT_COLUMNS])
    .select(standingIn('listed.id', host))
    .where('listed.id', 'in', ids)
})

/**
 * Returns what visible messages belong to.
 * @param host from hostOf
 */
export async function answersOf(
  db: Queryable,
  ids: readonly bigint[],
  host: string,
): Promise<Answers> {
  const listed = ids.map((id) => ({ id, host }))
  const rows = await findAnswers(db, listed)
  return new Map(
    rows
      .filter(({ id, kind, correction, count }) => id || kind || correction || count)
      .map((row) => [
        row.of,
        { to: isExcerpt(row) ? asExcerpt(row) : undefined, ...standingOf(row) },
      ]),
  )
}

/** What else a row states of its message. */
function standingOf({ kind, investigation_id, title, ...row }: StandingRow): Standing {
  const entry = kind && investigation_id && title ? { kind, investigation_id, title } : undefined
  const [count, contributions] = [Number(row.count), Number(row.contributions)]
  return { entry, count, contributions, correction: row.correction }
}

type Standing = Omit<Answering, 'to'>
type Joined<Row> = { [Name in keyof Row]: Row[Name] | null }
type StandingRow = Joined<NonNullable<Answering['entry']> & Pick<Answering, 'correction'>> &
  Record<'count' | 'contributions', bigint>

const isExcerpt = (row: Joined<ExcerptRow>): row is ExcerptRow => row.id !== null

export interface ThreadMessage extends Excerpt, Standing {
  body: string
  sources: readonly { url: string; note: string }[]
  /** The id of the message that it answers; undefined if that is not in the thread, as of most contributions. */
  answers: bigint | undefined
}

/** The thread around a message, without hidden messages and without what only they connect with it. */
export interface Thread {
  /** What the message answers, what that answers and so on, oldest first: the nearest MAX_ABOVE. */
  above: ThreadMessage[]
  /**
   * What answers the message or contributes to its question, what answers that and so on, oldest first: the first
   * MAX_BELOW.
   */
  below: ThreadMessage[]
  hasMore: boolean
}

export const NO_THREAD: Thread = { above: [], below: [], hasMore: false }

export const MAX_ABOVE = 20
const MAX_BELOW = 50

export interface ThreadRequest extends Listed {
  /** Below only answers to the message with a greater id, and what answers them. */
  after: bigint
}

/** The tables of a message that is an end of a visible answer. */
const endOf = (end: 'message_id' | 'target_id') =>
  sql`mentions inner join messages on messages.id = mentions.${sql.ref(end)}`

/**
 * Selects the ids around a message. Below, no more answers to any message are read than can be among the first of all,
 * whose ids ascend from one to its answers.
 */
function idsAround({ id, host, after }: ThreadRequest) {
  const isVisibleAnswer = sql`${isAnswer(host)} and ${VISIBLE_MESSAGE}`
  const isShown = (target: unknown) => sql`${isVisibleAnswer} and mentions.message_id <= coalesce((
    select mentions.message_id from ${endOf('message_id')}
    where mentions.target_id = ${target} and mentions.message_id > ${after} and ${isVisibleAnswer}
    order by mentions.message_id limit 1 offset ${sql.lit(MAX_BELOW)}), ${sql.lit(MAX_ID)})`
  return sql<{ id: bigint; answers: bigint | null }>`(with recursive above (id, steps) as (
    select mentions.target_id, 1 from ${endOf('target_id')}
    where mentions.message_id = ${id} and ${isVisibleAnswer}
    union all
    select mentions.target_id, steps + 1
    from above cross join ${endOf('target_id')}
    where mentions.message_id = above.id and steps < ${sql.lit(MAX_ABOVE)} and ${isVisibleAnswer}
  ), below (id, answers) as (
    select mentions.message_id, mentions.target_id from ${endOf('message_id')}
    where mentions.target_id = ${id} and mentions.message_id > ${after} and ${isShown(id)}
    union all
    select * from (select messages.id, cast(0 as bigint) as answers from messages
      where ${VISIBLE_MESSAGE} and messages.id > ${after} and messages.id > ${id} and messages.investigation_id = (
        select entries.investigation_id from entries where entries.message_id = ${id} and entries.kind = 'question')
      order by messages.id limit ${sql.lit(MAX_BELOW + 1)}) as first
    union all
    select mentions.message_id, mentions.target_id
    from below cross join ${endOf('message_id')}
    where mentions.target_id = below.id and ${isShown(sql.ref('below.id'))}
  )
  select id, cast(null as bigint) as answers from above
  union all
  select id, answers from (
    select id, max(answers) as answers from below group by id order by id limit ${sql.lit(MAX_BELOW + 1)}
  ) as first)`
}

const findThread = compiled((db, { id, host, after }: ThreadRequest) =>
  db
    .selectFrom(idsAround({ id, host, after }).as('around'))
    // SQLite keeps the order of a cross join; of any other, it might read all messages first.
    .crossJoin('messages')
    .whereRef('messages.id', '=', 'around.id')
    .leftJoin('entries', 'entries.message_id', 'messages.id')
    .leftJoin('investigations', 'investigations.id', 'entries.investigation_id')
    .select([...EXCERPT_COLUMNS, ...ENTRY_COLUMNS, 'messages.body', 'around.answers'])
    .select(['entries.sources', ...standingIn('messages.id', host)]),
)

export async function threadOf(db: Queryable, request: ThreadRequest): Promise<Thread> {
  const rows = (await findThread(db, request)).sort((a, b) => (a.id < b.id ? -1 : 1))
  const asMessage = (row: (typeof rows)[number], answers: bigint | undefined): ThreadMessage => ({
    ...asExcerpt(row),
    ...standingOf(row),
    ...{ body: row.body, sources: JSON.parse(row.sources ?? '[]'), answers },
  })
  const above = rows.filter(({ answers }) => answers === null)
  const below = rows.filter(({ answers }) => answers !== null)
  return {
    above: above.map((row, i) => asMessage(row, above[i - 1]?.id)),
    below: below.slice(0, MAX_BELOW).map((row) => asMessage(row, row.answers || undefined)),
    hasMore: below.length > MAX_BELOW,
  }
}
