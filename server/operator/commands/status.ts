// operator status: reports modes, counts, days, the signed log, clocks and servers.
import { headedTable } from '../../../archive/base/terminal-text.ts'
import { formatVkey, verifierOf } from '../../../archive/log/note.ts'
import { openReader } from '../../../archive/reading/reader.ts'
import { readClocks } from '../../clock/command.ts'
import { readConfig } from '../../config.ts'
import { readBeginning } from '../../data/first-day.ts'
import type { Database } from '../../database/database.ts'
import { nameOfPosition, type Primary } from '../../database/postgres/position.ts'
import { newestAction } from '../../database/records/action-log.ts'
import { lastFailure, readLogKeys, witnessMemory } from '../../database/settings/settings.ts'
import { lastIntervals, serversAhead } from '../../liveness/queries.ts'
import { countRecords, type RecordCount } from '../../moderation/queries.ts'
import { readModes } from '../../modes/queries.ts'
import { combineModes, FEATURES, type Modes } from '../../modes/rules.ts'
import type { Clock } from '../../system/system.ts'
import { receiptKey } from '../../transmissions/receipts.ts'
import { instant } from '../../wire/instant.ts'
import {
  claimLine,
  claimOf,
  daysTable,
  logTable,
  missingDay,
  stateOfArchive,
} from '../archive-status.ts'
import { clockReport, serverOf, serverTable } from '../clocks/status.ts'
import { type Context, defineCommand, reading } from '../command.ts'

export const status = defineCommand({
  name: 'status',
  help: {
    'status [--check]':
      'prints modes, record counts, the newest day and the last failure, the signed log and its witnesses, who signs receipts, the clocks, and the last heartbeats of servers; with --check it exits 1 if yesterday has not been made, the archive cannot be read, or a clock is wrong',
  },
  words: [],
  options: { check: {} },
  prepare: (_, { check }) => reading((database, context) => reportStatus(database, context, check)),
})

const SERVERS_SHOWN = 5

/** @param check whether a fault fails the command */
async function reportStatus(database: Database, { env, clock, random }: Context, check: boolean) {
  // The modes of this command's environment; those of each server are in its heartbeats.
  const { forcedModes: environment, signingKeyFile, witnessPolicy, ...config } = readConfig(env)
  const archive = await openReader(config.archive, random)
  const now = clock.now()
  const found = await readDatabase(database, clock)
  const { settings, records, failure, loss, claims, beginning } = found
  const switches = switchesOf(settings, environment)
  const servers = found.intervals.map((row) => serverOf(row, settings, now))
  const { problem, days, log } = await stateOfArchive(archive, { beginning, now, witnessPolicy })
  const primary = database.primary?.() ?? null
  const last_failure = failure && { ...failure, at: instant(failure.at) }
  const last_loss = loss && { ...loss, at: instant(loss.at) }
  const receipts = receiptState(found.keys, signingKeyFile)
  const clockState = clockReport(found.clocks, found.ahead)
  const failures = [clockState.problem, missingDay(days, problem)].filter((one) => one !== null)
  return {
    ...(check && failures.length > 0 && { failedCheck: failures.join('; ') }),
    json: {
      ...{ switches, records, database: primary, days, last_failure, last_loss, log, receipts },
      ...{ clock: clockState.json, servers, claims: claims.map(claimOf) },
    },
    text: [
      switchTable(switches),
      recordTable(records),
      ...(primary ? [databaseTable(primary)] : []),
      daysTable(days, problem, failure, last_loss),
      problem ? 'The log of days cannot be read.' : logTable(log, found.keys),
      ...claims.map(claimLine),
      receipts.reason
        ? `Receipts are not signed here:\n  ${receipts.reason}`
        : 'Receipts are signed here.',
      clockState.text,
      serverTable(servers),
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
    failure: await lastFailure.read(tx),
    loss: await newestAction(tx, 'restored'),
    keys: await readLogKeys(tx),
    claims: Object.values((await witnessMemory.read(tx)).claims),
    clocks: await readClocks(tx, opening, clock),
    ahead: await serversAhead(tx, clock.now()),
  }))
}

function switchTable(switches: ReturnType<typeof switchesOf>): string {
  const rows = switches.map(Object.values)
  const shown = headedTable([['switch', 'operator', 'environment', 'in effect'], ...rows])
  return `${shown}\nThe environment is that of this command. Each server has its own; see below.`
}

function recordTable(records: Record<string, RecordCount>): string {
  const rows = Object.entries(records).map(([name, { visible, hidden }]) => [
    name,
    String(visible),
    String(hidden),
  ])
  return headedTable([['records', 'visible', 'hidden'], ...rows])
}

function databaseTable({ host, position }: Primary): string {
  return headedTable([
    ['database', ''],
    ['host', host],
    ['history', nameOfPosition(position)],
  ])
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
