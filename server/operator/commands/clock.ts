// operator clock: makes the clock of this machine the measure, and repairs what a wrong one has dated (COMMANDS.md 6.10, 6.11).
import { UsageError } from '../../../archive/base/terminal.ts'
import { readClocks } from '../../clock/command.ts'
import type { Database } from '../../database/database.ts'
import { logAction } from '../../database/records/action-log.ts'
import { acceptance } from '../../database/settings/clock-settings.ts'
import { serversAhead } from '../../liveness/queries.ts'
import type { Clock } from '../../system/system.ts'
import { instant } from '../../wire/instant.ts'
import { repairClock } from '../clocks/repair.ts'
import { clockReport } from '../clocks/status.ts'
import { defineCommand, REASON, readReason, writing } from '../command.ts'

export const clock = defineCommand({
  name: 'clock',
  help: {
    'clock accept --reason R':
      'makes the clock of this machine the measure of all servers, where they refuse to write because clocks differ; prints all times',
    'clock repair --reason R [--dry-run]':
      'redates records that a wrong clock has dated into the future, unless their day has a snapshot; with --dry-run it only lists them',
  },
  words: [{ name: 'action', oneOf: ['accept', 'repair'] }],
  options: { ...REASON, 'dry-run': {} },
  prepare([act], { reason: given, 'dry-run': dryRun }) {
    const reason = readReason(given)
    if (act === 'repair')
      return writing((database, context) => repairClock(database, { reason, dryRun }, context))
    if (dryRun) throw new UsageError('accept does not take --dry-run')
    return writing((database, { clock }) => acceptClock(database, reason, clock))
  },
})

/** Accepts the clock of this machine, and its difference to the clock of the database. */
async function acceptClock(database: Database, reason: string, clock: Clock) {
  const { clocks, ahead } = await database.write(async (tx, opening) => {
    const clocks = await readClocks(tx, opening, clock)
    const { wall, sinceBoot, database: ofDatabase, latest } = clocks.moment
    const target = `accept ${instant(wall)}`
    const id = await logAction(tx, { act: 'clock', target_kind: 'service', target, reason }, wall)
    await acceptance.write(tx, { id: String(id), wall, sinceBoot, database: ofDatabase, latest })
    return { clocks, ahead: await serversAhead(tx, wall) }
  })
  const { wall, database: ofDatabase } = clocks.moment
  const accepted = instant(wall)
  const difference_ms = ofDatabase === null ? null : ofDatabase - wall
  const { json, text } = clockReport(clocks, ahead)
  return {
    json: { act: 'clock', accepted, difference_ms, clocks: json },
    text: `${text}\n\n${accepted} is accepted as the time${differenceOf(difference_ms)}`,
  }
}

const MS_PER_S = 1000

function differenceOf(ms: number | null): string {
  if (ms === null) return ''
  const way = ms < 0 ? 'behind' : 'ahead of'
  return `; the clock of the database is expected ${Math.abs(ms) / MS_PER_S} s ${way} it`
}
