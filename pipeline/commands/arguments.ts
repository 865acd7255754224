// The command line of `npm run snapshot`. Pure.
import { parseArgs } from 'node:util'
import { isDay } from '../../archive/format/paths.ts'

export const USAGE = `Makes the daily snapshots that are missing, up to yesterday (UTC).

  npm run snapshot                             all missing days since the first record
  npm run snapshot -- --day 2026-11-19         one day
  npm run snapshot -- --from D --to D          a range of days, both included
  npm run snapshot -- --repair                 re-renders missing or damaged media of archived days;
                                               with --day, or --from and --to, of those only
  --json   prints {"days":[{"day","status","message"?}]}, status published, present, repaired or failed
  --help   prints this

Exit: 0 all is well, 1 a day failed, 2 wrong usage, 75 another pipeline is at work.
`

export interface Arguments {
  /** The first and the last day; null: all that are missing, or with repair all that are archived. */
  range: { from: string; to: string } | null
  repair: boolean
  json: boolean
  help: boolean
}

export class UsageError extends Error {
  override name = 'UsageError'
}

const OPTIONS = {
  day: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  repair: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** @throws UsageError with one line */
export function parseArguments(args: string[]): Arguments {
  const values = parse(args)
  const { repair = false, json = false, help = false } = values
  return { range: help ? null : requestedRange(values), repair, json, help }
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS }).values
  } catch (error) {
    // The first sentence says it; the others advise on what this command does not take.
    throw new UsageError((error as Error).message.split(/\.\s/)[0])
  }
}

function requestedRange(values: { day?: string; from?: string; to?: string }): Arguments['range'] {
  const { day, from, to } = values
  if (day !== undefined && (from !== undefined || to !== undefined))
    throw new UsageError('--day goes with neither --from nor --to')
  if ((from === undefined) !== (to === undefined))
    throw new UsageError('--from and --to go together')
  for (const [name, value] of Object.entries({ day, from, to }))
    if (value !== undefined && !isDay(value))
      throw new UsageError(`--${name}: ${JSON.stringify(value)} is not a date like 2026-11-19`)
  if (day !== undefined) return { from: day, to: day }
  if (from === undefined || to === undefined) return null
  if (from > to) throw new UsageError('--from must not be later than --to')
  return { from, to }
}
