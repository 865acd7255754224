// Builds the status report of the operator command.

import { isArchiveError } from '../../archive/base/errors.ts'
import { table, visible } from '../../archive/base/terminal-text.ts'
import { dayOf, previousDay } from '../../archive/format/calendar.ts'
import { formatVkey, verifierOf } from '../../archive/log/note.ts'
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import { readClocks } from '../clock/command.ts'
import { readBeginning } from '../data/first-day.ts'
import type { Database } from '../database/database.ts'
import { nameOfPosition, type Primary } from '../database/postgres/position.ts'
import { newestAction } from '../database/records/action-log.ts'
import {
  type Claim,
  type Failure,
  readLastFailure,
  readLogKeys,
  readWitnessMemory,
} from '../database/settings/settings.ts'
import { serversAhead } from '../liveness/ahead.ts'
import { lastIntervals } from '../liveness/queries.ts'
import { countRecords, type RecordCount } from '../moderation/counts.ts'
import { readModes } from '../modes/queries.ts'
import { combineModes, FEATURES, type Modes } from '../modes/rules.ts'
import type { Clock } from '../system/system.ts'
import { LogReader, witnessSummary } from '../transmissions/day-log.ts'
import { receiptKey } from '../transmissions/receipts.ts'
import { instant } from '../wire/instant.ts'
import { clockReport } from './clock-status.ts'
import type { CommandResult, Style } from './command.ts'
import { serverOf, serverTable, toSeconds } from './servers.ts'

const SERVERS_SHOWN = 5

interface StatusOptions {
  /** Whether a fault fails the command. */
  check: boolean
  /** Those of this command's environment; those of each server are in its heartbeats. */
  forcedModes: Modes
  archive: ArchiveReader
  /** The witnesses that are asked to sign the log; null for none. */
  witnessPolicy: WitnessPolicy | null
  /** The private key of this host, which signs receipts. */
  signingKeyFile: string
}

export async function reportStatus(
  database: Database,
  { check, forcedModes: environment, archive, signingKeyFile, witnessPolicy }: StatusOptions,
  clock: Clock,
  heading: Style,
): Promise<CommandResult> {
  const now = clock.now()
  const found = await readDatabase(database, clock)
  const { settings, records, failure, loss, claims } = found
  const switches = switchesOf(settings, environment)
  const servers = found.intervals.map((row) => serverOf(row, settings, now))
  const { beginning } = found
  const { problem, days, log } = await stateOfArchive(archive, { beginning, now, witnessPolicy })
  const primary = database.primary?.() ?? null
  const last_failure = failure && { ...failure, at: instant(failure.at) }
  const last_loss = loss && { ...loss, at: instant(loss.at) }
  const receipts = receiptState(found.keys, signingKeyFile)
  const clockState = clockReport(found.clocks, found.ahead, heading)
  const failures = [clockState.problem, missingDay(days, problem)].filter((one) => one !== null)
  return {
    ...(check && failures.length > 0 && { failedCheck: failures.join('; ') }),
    json: {
      ...{ switches, records, database: primary, days, last_failure, last_loss, log, receipts },
      ...{ clock: clockState.json, servers, claims: claims.map(claimOf) },
    },
    text: [
      switchTable(switches, heading),
      recordTable(records, heading),
      ...(primary ? [databaseTable(primary, heading)] : []),
      daysTable(days, { problem, failure, loss: last_loss }, heading),
      problem ? 'The log of days cannot be read.' : logTable(log, heading),
      ...claims.map(claimLine),
      receipts.reason
        ? `Receipts are not signed here:\n  ${receipts.reason}`
        : 'Receipts are signed here.',
      clockState.text,
      serverTable(servers, heading),
    ].join('\n\n'),
  }
}

/** Reads what the database has for the report, as of one moment. */
async function readDatabase(database: Database, clock: Clock) {
  const opening = { databaseTime: await database.databaseTime() }
  return database.read(async (tx) => ({
    settings: await readModes(tx),
    records: await countRecords(tx),
    intervals: await lastIntervals(tx, SERVERS_SHOWN),
    beginning: await readBeginning(tx),
    failure: await readLastFailure(tx),
    loss: await newestAction(tx, 'restored'),
    keys: await readLogKeys(tx),
    claims: Object.values((await readWitnessMemory(tx)).claims),
    clocks: await readClocks(tx, opening, clock),
    ahead: await serversAhead(tx, clock.now()),
  }))
}

/** Why `--check` fails; null if yesterday is archived, or before the first day. */
function missingDay(days: DaysState, problem: string | null): string | null {
  if (problem !== null) return `the archive cannot be read: ${problem}`
  return days.yesterday_sealed || isBeforeBoard(days) ? null : `${days.yesterday} has not been made`
}

function switchTable(switches: ReturnType<typeof switchesOf>, heading: Style): string {
  const rows = switches.map(Object.values)
  const shown = table([['switch', 'operator', 'environment', 'in effect'], ...rows], heading)
  return `${shown}\nThe environment is that of this command. Each server has its own; see below.`
}

function recordTable(records: Record<string, RecordCount>, heading: Style): string {
  const rows = Object.entries(records).map(([name, { visible, hidden }]) => [
    name,
    String(visible),
    String(hidden),
  ])
  return table([['records', 'visible', 'hidden'], ...rows], heading)
}

function databaseTable({ host, position }: Primary, heading: Style): string {
  return table(
    [
      ['database', ''],
      ['host', host],
      ['history', nameOfPosition(position)],
    ],
    heading,
  )
}

interface DaysState {
  /** The first day of the board; null before its first heartbeat and record. */
  first: string | null
  /** Null if no day is sealed, or the archive cannot be read. */
  newest: string | null
  yesterday: string
  /** Null if the archive cannot be read. */
  yesterday_sealed: boolean | null
}

/** Whether yesterday is before the first day of the board, so that it is not made (COMMANDS.md 2.2). */
const isBeforeBoard = ({ first, yesterday }: DaysState): boolean =>
  first === null || yesterday < first

/** Returns the state of the days and of the log, and the problem if the archive cannot be read. */
async function stateOfArchive(
  archive: ArchiveReader,
  {
    beginning,
    now,
    witnessPolicy,
  }: { beginning: number | null; now: number; witnessPolicy: WitnessPolicy | null },
): Promise<{ problem: string | null; days: DaysState; log: LogState | null }> {
  const first = beginning === null ? null : dayOf(beginning)
  const yesterday = previousDay(dayOf(now))
  try {
    const days = await archive.days()
    const newest = days.at(-1) ?? null
    return {
      problem: null,
      days: { first, newest, yesterday, yesterday_sealed: days.includes(yesterday) },
      log: await signedLog(archive, witnessPolicy, now),
    }
  } catch (error) {
    if (!isArchiveError(error, 'archive_unavailable')) throw error
    const days = { first, newest: null, yesterday, yesterday_sealed: null }
    return { problem: error.message, days, log: null }
  }
}

interface Trouble {
  /** Why the archive cannot be read. */
  problem: string | null
  failure: Failure | null
  /** The messages that were found to be lost last. */
  loss: { at: string; target: string } | null
}

function daysTable(days: DaysState, { problem, failure, loss }: Trouble, heading: Style): string {
  const { first, newest, yesterday, yesterday_sealed } = days
  const missing = isBeforeBoard(days) ? 'before the first day' : 'not made'
  const rows = [
    ...(problem
      ? [['archive', `cannot be read: ${problem}`]]
      : [
          ['first', first ?? 'none'],
          ['newest', newest ?? 'none'],
          ['yesterday', `${yesterday}, ${yesterday_sealed ? 'sealed' : missing}`],
        ]),
    ['last failure', failure ? toSeconds(instant(failure.at)) : 'none'],
    ...(loss ? [['lost', `${loss.target}, found ${toSeconds(loss.at)}`]] : []),
  ]
  const shown = table([['days', ''], ...rows], heading)
  return failure ? `${shown}\n  ${failure.day ? `${failure.day}: ` : ''}${failure.message}` : shown
}

interface LogState {
  origin: string
  size: number
  root: string
  /** The newest verifier key. */
  key: string
  /** How many witnesses have signed; null if none are asked. */
  witnesses: string | null
}

/** Returns the signed log, or null if there is none yet. */
async function signedLog(
  archive: ArchiveReader,
  policy: WitnessPolicy | null,
  now: number,
): Promise<LogState | null> {
  const log = await new LogReader(archive).read()
  if (!log) return null
  const { origin, size, root } = log.checkpoint
  const witnesses = witnessSummary(log, policy, now)
  const head = { origin, size, root: Buffer.from(root).toString('hex') }
  return { ...head, key: log.keys[0] ?? '', witnesses }
}

function claimOf({ name, at, message, fork }: Claim) {
  return { witness: name, at: instant(at), message, checkpoint: fork }
}

/** States what a witness claims, and whether it has shown a checkpoint that a key of the log has signed. */
function claimLine({ name, at, message, fork }: Claim): string {
  const shown =
    fork === null ? '' : ', and shows a signed checkpoint that the log does not continue'
  return `Witness ${visible(name)} claims to know another log, since ${toSeconds(instant(at))}: it ${visible(message)}${shown}.`
}

function logTable(log: LogState | null, heading: Style): string {
  if (!log) return 'The log of days is not started.'
  const rows = Object.entries(log).map(([name, value]) => [name, String(value ?? 'none asked')])
  return table([['log', ''], ...rows], heading)
}

/** Returns the key that signs receipts on this host, or why there is none. */
function receiptState(keys: string | null, file: string) {
  const found = receiptKey(keys, file)
  if ('reason' in found) return { key: null, reason: found.reason }
  return { key: formatVkey(verifierOf(found.name, found.key)), reason: null }
}

/** Returns the state of each switch: as set by the operator, as forced by the environment, and in effect. */
function switchesOf(settings: Modes, environment: Modes) {
  const both = combineModes(settings, environment)
  const mode = ({ readOnly }: Modes) => (readOnly ? 'read-only' : 'open')
  const stateIn = ({ disabled }: Modes, name: (typeof FEATURES)[number]) =>
    disabled.includes(name) ? 'off' : 'on'
  return [
    {
      switch: 'mode',
      operator: mode(settings),
      environment: environment.readOnly ? 'forces read-only' : '',
      in_effect: mode(both),
    },
    ...FEATURES.map((name) => ({
      switch: `feature ${name}`,
      operator: stateIn(settings, name),
      environment: environment.disabled.includes(name) ? 'forces off' : '',
      in_effect: stateIn(both, name),
    })),
  ]
}
