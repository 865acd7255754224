// What the operator reads: the log of actions, and the state of the service.
import { nullIf } from '../../archive/errors.ts'
import { openReader } from '../../archive/reader.ts'
import { table } from '../../pipeline/commands/terminal.ts'
import { lastIntervals } from '../liveness/queries.ts'
import { countRecords } from '../moderation/counts.ts'
import { readLog } from '../moderation/log.ts'
import { readModes } from '../modes/queries.ts'
import { combineModes, FEATURES, type Modes } from '../modes/rules.ts'
import type { Store } from '../store/database.ts'
import type { LivenessRow } from '../store/schema.ts'
import { LogReader } from '../transmissions/day-log.ts'
import { instant } from '../wire/instant.ts'
import type { Output } from './actions.ts'
import type { Command } from './usage.ts'

/** How headings are styled on the terminal at hand. */
export type Style = (line: string) => string

export async function log(
  store: Store,
  { after, limit }: Extract<Command, { name: 'log' }>,
  heading: Style,
): Promise<Output> {
  const rows = await readLog(store.db, after, limit + 1)
  const items = rows.slice(0, limit).map((row) => ({ ...row, at: instant(row.at) }))
  const next_after = items.at(-1)?.id ?? after
  const has_more = rows.length > limit
  const cells = items.map((row) => [
    String(row.id),
    row.at,
    row.act,
    row.target_kind === 'service' ? row.target : `${row.target_kind} ${row.target}`,
    row.reason,
  ])
  const shown = table([['id', 'at', 'act', 'target', 'reason'], ...cells], heading)
  return {
    json: { items, next_after, has_more },
    text: has_more ? `${shown}\nfurther actions: --after ${next_after}` : shown,
  }
}

const SERVERS_SHOWN = 5
/** A server writes a heartbeat every 10 s; after this silence it counts as gone [ms]. */
const ALIVE_MS = 30_000

/** What a report needs of the configuration. */
export interface StatusConfig {
  forcedModes: Modes
  archiveDir: string
}

/**
 * @param config its forced modes are those of this command's own environment; each server has one
 *   of its own, which shows in its heartbeats
 */
export async function status(
  store: Store,
  { forcedModes: environment, archiveDir }: StatusConfig,
  now: number,
  heading: Style,
): Promise<Output> {
  const { settings, records, stretches } = await store.read(async (tx) => ({
    settings: await readModes(tx),
    records: await countRecords(tx),
    stretches: await lastIntervals(tx, SERVERS_SHOWN),
  }))
  const switches = switchesOf(settings, environment)
  const servers = stretches.map((row) => serverOf(row, settings, now))
  const log = await signedLog(archiveDir)
  return {
    json: { switches, records, log, servers },
    text: [
      table(
        [['switch', 'operator', 'environment', 'in effect'], ...switches.map(Object.values)],
        heading,
      ),
      'Environment: of this command. Each server has its own; see below.',
      '',
      table(
        [
          ['records', 'visible', 'hidden'],
          ...Object.entries(records).map(([name, { visible, hidden }]) => [
            name,
            `${visible}`,
            `${hidden}`,
          ]),
        ],
        heading,
      ),
      '',
      logTable(log, heading),
      '',
      serverTable(servers, heading),
    ].join('\n'),
  }
}

interface LogState {
  origin: string
  size: number
  root: string
  /** The newest verifier key. */
  key: string
}

/** Null where there is no log yet, or no archive. */
async function signedLog(archiveDir: string): Promise<LogState | null> {
  const log = await new LogReader(openReader(archiveDir))
    .read()
    .catch(nullIf('archive_unavailable'))
  if (!log) return null
  const { origin, size, root } = log.checkpoint
  return { origin, size, root: Buffer.from(root).toString('hex'), key: log.keys[0] ?? '' }
}

function logTable(log: LogState | null, heading: Style): string {
  if (!log) return 'The log of days is not started.'
  const rows = Object.entries(log).map(([name, value]) => [name, String(value)])
  return table([['log', ''], ...rows], heading)
}

/** Each switch: as the operator set it, as the environment forces it, and which of them holds. */
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

/** A server's last heartbeat; what the operator did not set, its environment forces. */
function serverOf(row: LivenessRow, settings: Modes, now: number) {
  const disabled = row.disabled_features === '' ? [] : row.disabled_features.split(',')
  const readOnly = row.read_only === 1n
  const forced = [
    ...(readOnly && !settings.readOnly ? ['read-only'] : []),
    ...disabled.filter((name) => !(settings.disabled as readonly string[]).includes(name)),
  ]
  return {
    server: row.server,
    alive: now - Number(row.to_at) <= ALIVE_MS,
    from: instant(row.from_at),
    to: instant(row.to_at),
    read_only: readOnly,
    disabled_features: disabled,
    forced_by_its_environment: forced,
  }
}

/** Ids of servers differ in their first characters. */
const SHOWN_ID = 8

/** Each server on a line, and on further lines what is not as usual: no line is over 80 columns. */
function serverTable(servers: ReturnType<typeof serverOf>[], heading: Style): string {
  if (servers.length === 0) return 'No server has written a heartbeat.'
  const rows = servers.map(({ server, alive, from, to }) => [
    server.slice(0, SHOWN_ID),
    alive ? 'alive' : 'gone',
    toSeconds(from),
    toSeconds(to),
  ])
  const [head = '', ...lines] = table(
    [['server', '', 'state since', 'last heartbeat'], ...rows],
    heading,
  ).split('\n')
  return [head, ...lines.flatMap((line, i) => [line, ...restrictionsOf(servers[i])])].join('\n')
}

function restrictionsOf(server: ReturnType<typeof serverOf> | undefined): string[] {
  if (!server) return []
  const { read_only, disabled_features: off, forced_by_its_environment: forced } = server
  const state = [
    ...(read_only ? ['read-only'] : []),
    ...(off.length > 0 ? [`off: ${off.join(', ')}`] : []),
  ]
  return [
    ...(state.length > 0 ? [`  ${state.join('; ')}`] : []),
    ...(forced.length > 0 ? [`  forced: ${forced.join(', ')}`] : []),
  ]
}

/** `2026-11-19 08:30:00` of an instant. */
const toSeconds = (at: string): string => at.slice(0, 19).replace('T', ' ')
