// Parses command line options that are days.
import { UsageError } from '../../archive/base/terminal.ts'
import { isDay } from '../../archive/format/calendar.ts'

/** Returns a day as it was given. @throws UsageError */
export function readDay(text: string): string {
  if (!isDay(text)) throw new UsageError(`${JSON.stringify(text)} is not a date like 2026-11-19`)
  return text
}

/** @throws UsageError for a range that ends before it begins */
export function demandOrder(from: string | undefined, to: string | undefined): void {
  if (from !== undefined && to !== undefined && from > to)
    throw new UsageError('--from must not be later than --to')
}
