// operator clock: makes the clock of this machine the measure, and repairs what a wrong one has dated (COMMANDS.md 6.10, 6.11).
import { UsageError } from '../../../archive/base/terminal.ts'
import { acceptClock } from '../clocks/accept.ts'
import { repairClock } from '../clocks/repair.ts'
import { defineCommand, writing } from '../command.ts'
import { REASON, readReason } from '../reason.ts'

export const clock = defineCommand({
  name: 'clock',
  help: [
    {
      forms: ['clock accept --reason R'],
      summary:
        'makes the clock of this machine the measure of all servers, where they refuse to write because clocks differ; prints all times',
    },
    {
      forms: ['clock repair --reason R [--dry-run]'],
      summary:
        'redates records that a wrong clock has dated into the future, unless their day has a snapshot; with --dry-run it only lists them',
    },
  ],
  words: [{ name: 'action', oneOf: ['accept', 'repair'] }],
  options: { ...REASON, 'dry-run': {} },
  prepare([act], { reason: given, 'dry-run': dryRun }) {
    const reason = readReason(given)
    if (act === 'repair')
      return writing((database, context) => repairClock(database, { reason, dryRun }, context))
    if (dryRun) throw new UsageError('accept does not take --dry-run')
    return writing((database, { clock, heading }) =>
      acceptClock(database, { reason }, clock, heading),
    )
  },
})
