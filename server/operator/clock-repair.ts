// npm run operator -- clock repair: redates what a wrong clock has dated into the future (API.md 10.15).
import { nameOfArchive } from '../../archive/place/location.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import { readClocks } from '../clock/command.ts'
import { CONTRADICTION, timesOf } from '../clock/messages.ts'
import {
  applyRepair,
  changesAnything,
  type Dated,
  KINDS,
  type Kind,
  planRepair,
  type RepairPlan,
} from '../clock/repair.ts'
import type { DataConfig } from '../data/location.ts'
import { lockFolderOf, lockForPipeline } from '../data/pipeline-lock.ts'
import type { Database, Queryable } from '../database/database.ts'
import { listRanges, logAction, rangesIn } from '../database/records/action-log.ts'
import type { Clock } from '../system.ts'
import { LogReader } from '../transmissions/day-log.ts'
import { instant } from '../wire/instant.ts'
import type { Output } from './command.ts'

/** The archive whose snapshots must stay true. */
export interface RepairContext extends Pick<DataConfig, 'archive' | 'dataDir'> {
  reader: ArchiveReader
  clock: Clock
}

/**
 * Repairs the dates of a database, while no run is at work on its archive.
 * @throws Error with one line: the archive cannot be read, a run is at work, or the clock of this machine contradicts
 *   that of the database
 */
export async function repairClock(
  database: Database,
  { reason, dryRun }: { reason: string; dryRun: boolean },
  context: RepairContext,
): Promise<Output> {
  if (dryRun) return outputOf(await planOnly(database, context), dryRun)
  const { archive, clock } = context
  const release = await lockForPipeline(database, nameOfArchive(archive), lockFolderOf(context))
  try {
    const fixed = await fixedDays(context.reader)
    const done = await database.write(async (tx, { databaseTime }) => {
      const plan = await planRepair(tx, await presentOf(tx, databaseTime, clock), fixed)
      if (!changesAnything(plan)) return plan
      await applyRepair(tx, plan)
      const target = `repair: ${describe(plan).join('; ')}`
      await logAction(tx, { act: 'clock', target_kind: 'service', target, reason }, plan.now)
      return plan
    })
    return outputOf(done, dryRun)
  } finally {
    await release()
  }
}

async function planOnly(database: Database, { reader, clock }: RepairContext): Promise<RepairPlan> {
  const fixed = await fixedDays(reader)
  const databaseTime = await database.databaseTime()
  return database.read(async (tx) =>
    planRepair(tx, await presentOf(tx, databaseTime, clock), fixed),
  )
}

/** Returns the wall time of this machine [ms since 1970]. @throws Error when the database's clock contradicts it */
async function presentOf(
  db: Queryable,
  databaseTime: number | null,
  clock: Clock,
): Promise<number> {
  const { moment, faults } = await readClocks(db, { databaseTime }, clock)
  const contradicted = faults.filter(({ by }) => by === 'database')
  if (contradicted.length > 0) throw new Error(`${CONTRADICTION}: ${timesOf(moment, contradicted)}`)
  return moment.wall
}

/** The days that have a snapshot: sealed, begun by a run, or signed and since lost. */
async function fixedDays(reader: ArchiveReader): Promise<Set<string>> {
  const signed = (await new LogReader(reader).read())?.newest.keys() ?? []
  return new Set([...(await reader.days()), ...(await reader.begunDays()), ...signed])
}

function outputOf(plan: RepairPlan, dry_run: boolean): Output {
  const { now, to, records, latest, heartbeats, steps } = plan
  const changed = changesAnything(plan)
  const lines = describe(plan)
  const done = dry_run ? 'would be repaired' : 'repaired'
  return {
    json: {
      act: 'clock',
      changed,
      dry_run,
      now: instant(now),
      to: instant(to),
      ...Object.fromEntries(KINDS.map((kind) => [kind, records[kind].map(asJson)])),
      latest: { from: instant(latest.from), to: instant(latest.to) },
      heartbeats,
      clock_steps: steps,
    },
    text: changed
      ? [`${done}, at ${instant(now)}:`, ...lines.map((line) => `  ${line}`)].join('\n')
      : 'nothing lies ahead that could be redated',
  }
}

const asJson = ({ id, at }: Dated) => ({ id, from: instant(at) })

/** Lists what changes, with ids and times. */
function describe(plan: RepairPlan): string[] {
  const { to, records, latest, heartbeats, steps } = plan
  return [
    ...KINDS.filter((kind) => records[kind].length > 0).map((kind) =>
      describeRecords(kind, records[kind], to),
    ),
    ...(latest.from === latest.to
      ? []
      : [`latest time ${instant(latest.from)}, now ${instant(latest.to)}`]),
    ...(heartbeats + steps === 0
      ? []
      : [`cut off: intervals of heartbeats: ${heartbeats}, clock steps: ${steps}`]),
  ]
}

/** For example `messages 12-14, 17 of 2030-01-01T00:00:00.002Z to 2030-01-01T00:09:00.000Z, now 2026-11-05T10:00:20.000Z` */
function describeRecords(kind: Kind, records: readonly Dated[], to: number): string {
  const times = records.map(({ at }) => at)
  const [first, last] = [
    times.reduce((a, b) => Math.min(a, b)),
    times.reduce((a, b) => Math.max(a, b)),
  ]
  const range = first === last ? instant(first) : `${instant(first)} to ${instant(last)}`
  const ids = listRanges(rangesIn(records.map(({ id }) => id)))
  return `${kind} ${ids} of ${range}, now ${instant(to)}`
}
