// The part of the status report about clocks.
import { table } from '../../../archive/base/terminal-text.ts'
import { type Clocks, whyWrong } from '../../clock/command.ts'
import { CONTRADICTION } from '../../clock/messages.ts'
import { isAhead } from '../../clock/rules.ts'
import type { Ahead } from '../../liveness/ahead.ts'
import { instant } from '../../wire/instant.ts'
import type { Style } from '../command.ts'
import { toSeconds } from '../servers.ts'

export interface ClockReport {
  json: object
  text: string
  /** One line, if a clock is wrong; else null. */
  problem: string | null
}

/** @param ahead the servers with heartbeats that lie ahead */
export function clockReport(clocks: Clocks, ahead: readonly Ahead[], heading: Style): ClockReport {
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
    table([['clocks', ''], ...rows], heading),
    ...(not_before ? [`  records can only be dated ${toSeconds(not_before)} or later`] : []),
    ...problems.map((problem) => `  ${problem.replaceAll('; ', ';\n    ')}`),
  ]
  return {
    json,
    text: lines.join('\n'),
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
