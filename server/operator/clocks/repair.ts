// npm run operator -- clock repair: redates what a wrong clock has dated into the future (COMMANDS.md 6.11).
import { sql } from 'kysely'
import { dayOf, daySpan } from '../../../archive/format/calendar.ts'
import { type ArchiveReader, openReader } from '../../../archive/reading/reader.ts'
import { DAY_MS } from '../../../protocol/index.ts'
import { readClocks } from '../../clock/command.ts'
import type { DatabaseClock } from '../../clock/guard.ts'
import { CONTRADICTION, timesOf } from '../../clock/rules.ts'
import { readDataConfig } from '../../data/location.ts'
import { lockForPipeline } from '../../data/pipeline-lock.ts'
import type { Database, Queryable, Transaction } from '../../database/database.ts'
import { listRanges, logAction, rangesIn } from '../../database/records/action-log.ts'
import { lastPublication, setLastPublication } from '../../database/records/sequences.ts'
import { TOLERANCE_MS } from '../../database/settings/clock-settings.ts'
import type { Clock } from '../../system/system.ts'
import { instant } from '../../wire/instant.ts'
import type { CommandResult, Context } from '../command.ts'

/** The kinds of records, each with the column that dates it. */
const DATES = {
  directories: 'created_at',
  messages: 'publish_at',
  investigations: 'created_at',
  reviews: 'created_at',
} as const

type DatedTable = keyof typeof DATES
const DATED_TABLES = Object.keys(DATES) as DatedTable[]

/** What a repair has changed: times [ms since 1970], and ids, ascending. */
type Repair = Awaited<ReturnType<typeof redateAhead>>

/** Ends the transaction of a dry run, which leaves nothing behind. */
const DRY_RUN = new Error('dry run')

/**
 * Repairs the dates of a database, while no run is at work on its archive.
 * @throws Error with one line: the archive cannot be read, a run is at work, or the clock of this machine contradicts
 *   that of the database
 */
export async function repairClock(
  database: Database,
  { reason, dryRun }: { reason: string; dryRun: boolean },
  { env, clock, random }: Context,
): Promise<CommandResult> {
  const config = readDataConfig(env)
  const reader = await openReader(config.archive, random)
  const release = await lockForPipeline(database, config)
  try {
    const fixed = await fixedDays(reader)
    let repair: Repair
    const write = database.write(async (tx, opening) => {
      repair = await redateAhead(tx, await presentOf(tx, opening, clock), fixed)
      if (dryRun) throw DRY_RUN
      const changes = changesIn(repair)
      if (changes.length === 0) return
      const target = `repair: ${changes.join('; ')}`
      await logAction(tx, { act: 'clock', target_kind: 'service', target, reason }, repair.now)
    })
    await write.catch((error) => {
      if (error !== DRY_RUN) throw error
    })
    return outputOf(repair!, dryRun)
  } finally {
    await release()
  }
}

/** Returns the wall time of this machine [ms since 1970]. @throws Error when the database's clock contradicts it */
async function presentOf(db: Queryable, opening: DatabaseClock, clock: Clock): Promise<number> {
  const { moment, faults } = await readClocks(db, opening, clock)
  const contradicted = faults.filter(({ by }) => by === 'database')
  if (contradicted.length > 0) throw new Error(`${CONTRADICTION}: ${timesOf(moment, contradicted)}`)
  return moment.wall
}

/** The days that have a snapshot: sealed, begun by a run, or signed and since lost. */
async function fixedDays(reader: ArchiveReader): Promise<Set<string>> {
  const signed = (await reader.log())?.newest.keys() ?? []
  return new Set([...(await reader.days()), ...(await reader.begunDays()), ...signed])
}

/**
 * Redates what lies more than 60 s ahead. A message stays if its time comes within a day, and so does all that was
 * published before it: its receipt promises its time (FORMAT.md 23).
 * @param now the time that is taken for the present [ms since 1970]
 * @param fixed the days that have a snapshot: their records stay, and no record is dated into them
 */
async function redateAhead(tx: Transaction, now: number, fixed: ReadonlySet<string>) {
  const limit = now + TOLERANCE_MS
  const newest = [...fixed].sort().at(-1)
  const floor = newest === undefined ? 0 : daySpan(newest).to
  let to = fixed.has(dayOf(now)) ? floor : now
  for (const table of DATED_TABLES)
    to = Math.max(to, await latestOf(tx, table, table === 'messages' ? now + DAY_MS : limit))
  const records = {} as Record<DatedTable, bigint[]>
  let remaining = floor
  for (const table of DATED_TABLES) {
    records[table] = await redate(tx, table, to, fixed)
    remaining = Math.max(remaining, await latestOf(tx, table))
  }
  const from = await lastPublication(tx)
  const latest = { from, to: from <= limit ? from : Math.min(from, remaining) }
  if (latest.to !== from) await setLastPublication(tx, latest.to)
  return { now, to, records, latest, ...(await cutOff(tx, now, limit)) }
}

/** Returns the latest date in a table that is not later than the limit; 0 without one. */
async function latestOf(db: Queryable, table: DatedTable, limit = Number.MAX_SAFE_INTEGER) {
  const column = sql.ref(DATES[table])
  const { rows } = await sql<{ at: bigint | null }>`select max(${column}) as at
    from ${sql.table(table)} where ${column} <= ${limit}`.execute(db)
  return Number(rows[0]?.at ?? 0n)
}

/** Gives the date `to` to the records that lie after it, but to none of a fixed day. @returns their ids, ascending */
async function redate(tx: Transaction, table: DatedTable, to: number, fixed: ReadonlySet<string>) {
  const column = sql.ref(DATES[table])
  const received =
    table === 'messages'
      ? sql`, received_at = case when received_at > ${to} then ${to} else received_at end`
      : sql``
  const kept = [...fixed].map(daySpan).filter((span) => span.to > to)
  const conditions = [
    sql`${column} > ${to}`,
    ...kept.map((span) => sql`not (${column} >= ${span.from} and ${column} < ${span.to})`),
  ]
  const { rows } = await sql<{ id: bigint }>`update ${sql.table(table)}
    set ${column} = ${to}${received} where ${sql.join(conditions, sql` and `)} returning id`.execute(
    tx,
  )
  return rows.map(({ id }) => id).sort((a, b) => (a < b ? -1 : 1))
}

/** Cuts off heartbeats, clock steps and idempotency keys that lie ahead. @returns the numbers of the first two */
async function cutOff(tx: Transaction, now: number, limit: number) {
  const change = async (statement: ReturnType<typeof sql>) =>
    Number((await statement.execute(tx)).numAffectedRows ?? 0n)
  const heartbeats =
    (await change(sql`delete from liveness where from_at > ${limit}`)) +
    (await change(sql`update liveness set to_at = case when from_at > ${now} then from_at else ${now} end
      where to_at > ${limit}`))
  const steps =
    (await change(
      sql`delete from clock_steps where expected_at > ${limit} and actual_at > ${limit}`,
    )) +
    (await change(sql`update clock_steps set expected_at = ${now} where expected_at > ${limit}`)) +
    (await change(sql`update clock_steps set actual_at = ${now} where actual_at > ${limit}`))
  // Otherwise these keys would not expire for years (API.md 5.3).
  await change(sql`update idempotency_keys set created_at = ${now} where created_at > ${limit}`)
  return { heartbeats, steps }
}

function outputOf(repair: Repair, dry_run: boolean): CommandResult {
  const { now, to, records, latest, heartbeats, steps } = repair
  const changes = changesIn(repair)
  const changed = changes.length > 0
  const done = dry_run ? 'would be repaired' : 'repaired'
  return {
    json: {
      act: 'clock',
      changed,
      dry_run,
      now: instant(now),
      to: instant(to),
      ...records,
      latest: { from: instant(latest.from), to: instant(latest.to) },
      heartbeats,
      clock_steps: steps,
    },
    text: changed
      ? [`${done}, at ${instant(now)}:`, ...changes.map((line) => `  ${line}`)].join('\n')
      : 'nothing lies ahead that could be redated',
  }
}

/** Lists what changes, if anything does, such as `messages 12-14, 17, now 2026-11-05T10:00:20.000Z`. */
function changesIn({ to, records, latest, heartbeats, steps }: Repair): string[] {
  const moved = DATED_TABLES.filter((table) => records[table].length > 0)
  return [
    ...moved.map((table) => `${table} ${listRanges(rangesIn(records[table]))}, now ${instant(to)}`),
    ...(latest.from === latest.to
      ? []
      : [`latest time ${instant(latest.from)}, now ${instant(latest.to)}`]),
    ...(heartbeats + steps === 0
      ? []
      : [`cut off: intervals of heartbeats: ${heartbeats}, clock steps: ${steps}`]),
  ]
}
