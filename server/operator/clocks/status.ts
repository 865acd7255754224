// The parts of the status report about clocks and about servers: the last heartbeat of each, and its restrictions.
import { headedTable } from '../../../archive/base/terminal-text.ts'
import { type Clocks, whyWrong } from '../../clock/command.ts'
import { CONTRADICTION, isAhead } from '../../clock/rules.ts'
import { featuresIn, LONGEST_SILENCE_MS } from '../../database/records/heartbeats.ts'
import type { LivenessRow } from '../../database/schema/schema.ts'
import type { Ahead } from '../../liveness/queries.ts'
import type { Modes } from '../../modes/rules.ts'
import { instant } from '../../wire/instant.ts'

/** @param ahead the servers with heartbeats that lie ahead */
export function clockReport(clocks: Clocks, ahead: readonly Ahead[]) {
  const { moment, accepted } = clocks
  const { wall, database, latest } = moment
  const problems = problemsOf(clocks, ahead)
  const not_before = isAhead(latest, wall) ? instant(latest) : null
  const json = {
    ok: problems.length === 0,
    machine: instant(wall),
    database: database === null ? null : instant(database),
    accepted_difference_ms: accepted?.database == null ? null : accepted.database - accepted.wall,
    latest: latest === 0 ? null : instant(latest),
    not_before,
    problems,
  }
  const rows = [
    ['this machine', toSeconds(json.machine)],
    ...(json.database ? [['database', toSeconds(json.database)]] : []),
    ['latest record', json.latest ? toSeconds(json.latest) : 'none'],
  ]
  const lines = [
    headedTable([['clocks', ''], ...rows]),
    ...(not_before ? [`  records can only be dated ${toSeconds(not_before)} or later`] : []),
    ...problems.map((problem) => `  ${problem.replaceAll('; ', ';\n    ')}`),
  ]
  return {
    json,
    text: lines.join('\n'),
    /** One line, if a clock is wrong; else null. */
    problem: problems.length === 0 ? null : problems.join('; '),
  }
}

function problemsOf(clocks: Clocks, ahead: readonly Ahead[]): string[] {
  const here = whyWrong(clocks)
  return [
    ...(here === null ? [] : [`${CONTRADICTION}: ${here}`]),
    ...clocks.servers.flatMap(({ server, reason }) =>
      reason === null ? [] : [`server ${server} writes nothing: ${reason}`],
    ),
    ...ahead.map(({ server, to }) => `heartbeats of server ${server} lie ahead: ${instant(to)}`),
  ]
}

/** Returns a server's last heartbeat. Its environment forces every restriction that the operator did not set. */
export function serverOf(row: LivenessRow, settings: Modes, now: number) {
  const disabled = featuresIn(row.disabled_features)
  const readOnly = row.read_only === 1n
  const forced = [
    ...(readOnly && !settings.readOnly ? ['read-only'] : []),
    ...disabled.filter((name) => !(settings.disabled as readonly string[]).includes(name)),
  ]
  return {
    server: row.server,
    alive: row.stopped === 0n && now - Number(row.to_at) <= LONGEST_SILENCE_MS,
    stopped: row.stopped === 1n,
    from: instant(row.from_at),
    to: instant(row.to_at),
    read_only: readOnly,
    disabled_features: disabled,
    forced_by_its_environment: forced,
  }
}

/** Enough of a server's random id to tell servers apart [characters]. */
const ID_LENGTH = 8

/** Renders one row per server, with its restrictions on separate lines so that no line exceeds 80 columns. */
export function serverTable(servers: ReturnType<typeof serverOf>[]): string {
  if (servers.length === 0) return 'No server has written a heartbeat.'
  const rows = servers.map(({ server, alive, stopped, from, to }) => [
    server.slice(0, ID_LENGTH),
    alive ? 'alive' : stopped ? 'stopped' : 'gone',
    toSeconds(from),
    toSeconds(to),
  ])
  const [head = '', ...lines] = headedTable([
    ['server', '', 'state since', 'last heartbeat'],
    ...rows,
  ]).split('\n')
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

/** Formats an instant as `2026-11-19 08:30:00`. */
export const toSeconds = (at: string): string => at.slice(0, 19).replace('T', ' ')
