// Validates command line options that are days.
import { UsageError } from '../../archive/base/terminal.ts'
import { isDay } from '../../archive/format/calendar.ts'

/** @throws UsageError when an option is not a day, or a range ends before it begins */
export function demandDays(options: Partial<Record<'day' | 'from' | 'to', string | undefined>>) {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !isDay(value))
      throw new UsageError(`--${name}: ${JSON.stringify(value)} is not a date like 2026-11-19`)
  const { from, to } = options
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError('--from must not be later than --to')
}
