// An option that verify and mirror share: how fresh an archive must be.
import { UsageError } from '../../archive/base/terminal.ts'

/** About a century; more is a typing error. */
const MAX_HOURS = 999_999

export const FRESH = {
  takes: 'N',
  read: readHours,
  help: 'fails if the newest day ended more than N hours ago',
} as const

function readHours(text: string): number {
  const hours = Number(text)
  if (!/^[1-9][0-9]*$/.test(text) || hours > MAX_HOURS)
    throw new UsageError(`must be a whole number of hours, 1 to ${MAX_HOURS}`)
  return hours
}
