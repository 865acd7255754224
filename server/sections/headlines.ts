// Finds the headlines of days among what is visible of them now (API.md 9.19). No file of the archive has them, since what is
// hidden later goes from them at once.
import { type RawBuilder, sql } from 'kysely'
import { BoundedMap } from '../../archive/base/bounded-map.ts'
import { dayOf, daySpan, nextDay, previousDay } from '../../archive/format/calendar.ts'
import { MAX_ID } from '../../archive/format/scalars.ts'
import { answersOf, MAX_COUNTED } from '../board/answers.ts'
import { BEGINNING } from '../board/references.ts'
import { compiled } from '../database/compiled.ts'
import { isVisibleIn, type Queryable, VISIBLE_MESSAGE } from '../database/database.ts'
import { nullIfUnavailable } from '../database/errors.ts'
import { lastModeration } from '../database/records/sequences.ts'
import type { Clock } from '../system/system.ts'

/** What was written on a day, in brief. */
export type Headline =
  /** The newest result of the day, with the question that it answers, or its newest question. */
  (
    | {
        kind: 'result' | 'question'
        id: bigint
        investigation: bigint
        title: string
        beginning: string
        /** Of the newest review of a result; empty if there is none. */
        outcome: string
        reason: string
        /** The newest message that corrects a result. */
        correction?: bigint | null
      }
    /** The message that most others answer or mention by the end of the next day. */
    | { kind: 'message'; id: bigint; beginning: string }
    /** The directories with most messages, at most three. */
    | { kind: 'directories'; busiest: readonly { path: string; count: number }[] }
  ) & {
    /**
     * At most three messages of the day that belong below it, in order of time: the question itself, what that answers, the
     * newest of what its question or message got; then those in its directory; if there are none, of all the most answered
     * or mentioned, then the longest.
     */
    lines: readonly { id: bigint; beginning: string }[]
    /** All of the day that are linked with it, in order of time, and the one that it quotes. */
    linked: readonly bigint[]
  }

/** The headlines of days, by day; a day without visible messages has none. */
export type Headlines = ReadonlyMap<string, Headline>

const BUSIEST = 3
const LINES = 3
/** Messages of a day of which lines are chosen, so that a busy one is not sorted as a whole. */
const CONSIDERED = 200

interface HeadlineRequest {
  /** The day [ms since 1970], `to` exclusive. */
  from: bigint
  to: bigint
  /** The end of the next day, exclusive [ms since 1970]. */
  until: bigint
  /** The host of this board in addresses, from hostOf; empty if unknown. */
  host: string
}

/** The first of these rules that finds anything finds the headline, the others of RULES find lines. */
const HEADLINE_RULES = ['result', 'question', 'message', 'directories'] as const
const RULES = [...HEADLINE_RULES, 'contributed', 'answered', 'telling'] as const

type Rule = (typeof RULES)[number]
const numberOf = (rule: Rule) => sql.lit(RULES.indexOf(rule) + 1)
const ruleOf = ({ rule }: HeadlineRow) => RULES[Number(rule) - 1] as Rule

/** What is found by one of the rules. */
interface HeadlineRow {
  rule: bigint
  id: bigint
  /** Of an entry, else 0. */
  investigation: bigint
  /** The title of an investigation, or the path of a directory. */
  title: string
  beginning: string
  outcome: string
  reason: string
  /** By which the rows of a rule are ordered, the greatest first: of a directory, its messages. */
  weight: bigint
}

/** The first visible message from a time on. Ids ascend with time. */
const firstFrom = (at: bigint) => sql`(
  select messages.id from messages where ${VISIBLE_MESSAGE} and messages.publish_at >= ${at}
  order by messages.publish_at, messages.id limit 1)`

/** A line, as a HeadlineRow. */
const lineOf = (rule: Rule, weight: RawBuilder<bigint>) => sql`
  select cast(${numberOf(rule)} as bigint) as rule, messages.id, cast(0 as bigint) as investigation, '' as title,
    ${BEGINNING} as beginning, '' as outcome, '' as reason, ${weight} as weight`

/** A column of the newest review of a message; empty if it has none. */
const ofReview = (column: 'outcome' | 'reason') =>
  sql`coalesce((select ${sql.ref(column)} from reviews
    where reviews.message_id = messages.id order by reviews.id desc limit 1), '')`

const NEWEST = sql<bigint>`messages.id`
const MENTIONING = sql<bigint>`mentions.message_id`

/** What a message in the directory of the headline weighs more: answers and mentions are counted to 100, and lengths are below. */
const IN_DIRECTORY = 100_000_000n

/** How much a message tells: by its directory, by how many answer or mention it, by its length. */
const telling = (
  host: string,
) => sql<bigint>`length(messages.body) + case when messages.directory_id = (select quoted.directory_id from messages as quoted
      where quoted.id = coalesce((select id from entry), (select id from taken_up))) then ${sql.lit(IN_DIRECTORY)} else 0 end
    + 100000 * (select count(*) from (
      select 1 as one from mentions inner join messages as other on other.id = mentions.message_id
      where mentions.target_id = messages.id and mentions.host in ('', ${host}) and ${isVisibleIn('other')}
      limit ${sql.lit(MAX_COUNTED)}) as counted)`

/** All rules in one statement. It reads the mentions of two days, which are few, and not each message. */
function byEachRule({ from, to, until, host }: HeadlineRequest) {
  const isOfDay = sql`${VISIBLE_MESSAGE} and messages.publish_at >= ${from} and messages.publish_at < ${to}`
  const isFrom = (id: RawBuilder<bigint>, end: bigint) =>
    sql`${id} >= ${firstFrom(from)} and ${id} < coalesce(${firstFrom(end)}, ${sql.lit(MAX_ID)})`
  const isMention = (end: bigint) =>
    sql`${isFrom(MENTIONING, end)} and mentions.host in ('', ${host})`
  return sql<HeadlineRow>`(
  with entry as (
    select cast(case entries.kind when 'result' then ${numberOf('result')} else ${numberOf('question')} end as bigint) as rule, messages.id,
      investigations.id as investigation, investigations.title, ${BEGINNING} as beginning,
      ${ofReview('outcome')} as outcome, ${ofReview('reason')} as reason, cast(1 as bigint) as weight
    from messages
      inner join entries on entries.message_id = messages.id
      inner join investigations on investigations.id = entries.investigation_id
    where ${isOfDay} and messages.investigation_id is not null and entries.kind in ('result', 'question')
    order by rule, messages.id desc limit 1),
  taken_up as (${lineOf('message', sql`count(*)`)}
    from mentions cross join messages as other cross join messages
    where ${isMention(until)} and other.id = mentions.message_id and ${isVisibleIn('other')}
      and messages.id = mentions.target_id and ${isOfDay}
    group by messages.id
    order by weight desc, messages.id limit 1),
  hub as (select case when exists (select 1 from entry) then (
    select mentions.target_id from mentions
    where mentions.message_id = (select id from entry) and mentions.answers = 1 and mentions.host in ('', ${host}))
    else (select id from taken_up) end as id)
  select * from entry
  union all select * from taken_up
  union all select * from (
    select cast(${numberOf('directories')} as bigint) as rule, directories.id, cast(0 as bigint) as investigation, directories.path as title, '' as beginning, '' as outcome, '' as reason, count(*) as weight
    from messages inner join directories on directories.id = messages.directory_id
    where ${isOfDay}
    group by directories.id, directories.path
    order by weight desc, directories.path limit ${sql.lit(BUSIEST)}) as busiest
  union all select * from (${lineOf('contributed', NEWEST)}
    from messages
    where ${VISIBLE_MESSAGE} and messages.investigation_id = (select investigation from entry) and ${isFrom(NEWEST, to)}
    order by messages.id desc limit ${sql.lit(LINES + 1)}) as contributed
  union all select * from (${lineOf('contributed', NEWEST)}
    from hub cross join messages
    where messages.id = hub.id and ${isOfDay} and exists (select 1 from entry)) as answering
  union all select * from (${lineOf('answered', NEWEST)}
    from mentions cross join messages
    where mentions.target_id = (select id from hub) and ${isMention(to)}
      and messages.id = mentions.message_id and ${VISIBLE_MESSAGE}
    order by mentions.message_id desc limit ${sql.lit(LINES)}) as answered
  union all select * from (${lineOf('telling', telling(host))}
    from (select messages.id from messages where ${isOfDay}
      order by messages.publish_at, messages.id limit ${sql.lit(CONSIDERED)}) as first
      inner join messages on messages.id = first.id
    order by weight desc, messages.id limit ${sql.lit(2 * LINES + 1)}) as telling)`
}

const find = compiled((db, { from, to, until, host }: HeadlineRequest) =>
  db
    .selectFrom(byEachRule({ from, to, until, host }).as('found'))
    .selectAll()
    .orderBy('rule')
    .orderBy('weight', 'desc')
    .orderBy('title')
    .orderBy('id'),
)

async function headlineOf(db: Queryable, day: string, host: string): Promise<Headline | null> {
  const { from, to } = daySpan(day)
  const until = BigInt(daySpan(nextDay(day)).to)
  const rows = await find(db, { from: BigInt(from), to: BigInt(to), until, host })
  const [found] = rows
  if (found === undefined) return null
  const { rule: _, weight: __, ...entry } = found
  const kind = ruleOf(found)
  const isEntry = kind === 'result' || kind === 'question'
  const lineRules: readonly Rule[] = ['contributed', 'answered', 'telling']
  const isLine = (row: HeadlineRow) =>
    lineRules.includes(ruleOf(row)) && (kind === 'directories' || row.id !== entry.id)
  const all = rows.filter(isLine)
  const lines = all.filter((row, i) => all.findIndex(({ id }) => id === row.id) === i)
  const own = lines.filter((row) => ruleOf(row) !== 'telling' || row.weight >= IN_DIRECTORY)
  const chosen = [...(kind === 'question' ? [found] : []), ...(own.length > 0 ? own : lines)]
  const linked = lines.filter((row) => ruleOf(row) !== 'telling').map(({ id }) => id)
  const shared = {
    lines: chosen.slice(0, LINES).sort((a, b) => ascending(a.id, b.id)),
    linked: (kind === 'directories' ? [] : [entry.id, ...linked]).sort(ascending),
  }
  if (isEntry) return { kind, ...entry, ...shared }
  if (kind === 'message') return { kind, id: entry.id, beginning: entry.beginning, ...shared }
  const busiest = rows
    .filter((row) => ruleOf(row) === 'directories')
    .map(({ title, weight }) => ({ path: title, count: Number(weight) }))
  return { kind: 'directories', busiest, ...shared }
}

/** Orders ids, which ascend with time. */
const ascending = (a: bigint, b: bigint): number => (a < b ? -1 : 1)

/** Adds what corrects results. That is not kept, since anyone can correct a result at any time. */
async function withCorrections(db: Queryable, found: Headlines, host: string): Promise<Headlines> {
  const results = [...found.values()].flatMap((one) => (one.kind === 'result' ? one.id : []))
  const answers = await answersOf(db, results, host)
  const corrected = (one: Headline): Headline =>
    one.kind === 'result' ? { ...one, correction: answers.get(one.id)?.correction ?? null } : one
  return new Map([...found].map(([day, one]) => [day, corrected(one)]))
}

const sweeping = compiled((db) => db.selectFrom('sweeps').select('directory_id').limit(1))

/** Days whose headlines are kept. */
const MAX_KEPT = 4_000

export type HeadlineReader = ReturnType<typeof headlineReader>

/**
 * Returns a function that reads headlines, none while the database is unavailable, and keeps those that only an operator can change.
 * @param host of this board in addresses, from hostOf; empty if unknown
 */
export function headlineReader(db: Queryable, clock: Pick<Clock, 'now'>, host: string) {
  let kept = new BoundedMap<string, { headline: Headline | null }>(MAX_KEPT)
  let lastAction = 0n
  const read = async (days: readonly string[]): Promise<Headlines> => {
    // Before the headlines: an action in between then empties what is kept at the next call.
    const action = await lastModeration(db)
    if (action !== lastAction) kept = new BoundedMap(MAX_KEPT)
    lastAction = action
    // The end of a sweep is no action, but shows messages.
    const isSweeping = (await sweeping(db, {})).length > 0
    // Mentions count until the end of the next day.
    const end = previousDay(dayOf(clock.now()))
    const found = new Map<string, Headline>()
    for (const day of days) {
      const known = kept.get(day)
      const headline = known ? known.headline : await headlineOf(db, day, host)
      if (!known && !isSweeping && day < end) kept.set(day, { headline })
      if (headline) found.set(day, headline)
    }
    return withCorrections(db, found, host)
  }
  return async (days: readonly string[]): Promise<Headlines> =>
    (await read(days).catch(nullIfUnavailable)) ?? new Map()
}
