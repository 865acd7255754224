// Parses the values of arguments that commands share: days, addresses, and how fresh an archive must be.
import { isAddress, parseBaseAddress } from '../../archive/base/base-address.ts'
import { UsageError } from '../../archive/base/terminal.ts'
import { isDay } from '../../archive/format/calendar.ts'
import { isBucketUrl, parseBucketName } from '../../archive/place/location.ts'

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

/** Returns an address without trailing slash. @throws UsageError with the address and the violated rule */
export function readAddress(text: string): string {
  return reading(text, () => parseBaseAddress(text))
}

/** Validates and normalizes a location. @throws UsageError with the location and the violated rule */
export function readLocation(text: string): string {
  if (text === '') throw new UsageError('the folder or address is empty')
  if (isBucketUrl(text)) reading(text, () => parseBucketName(text))
  else if (isAddress(text)) return readAddress(text)
  else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw new UsageError(`${text}: an address begins with http, https or s3`)
  return text
}

/** Adds the location to an error, without a password in it. */
function reading<T>(text: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const shown = text.replace(/\/\/[^/?#]*@/, '//')
    throw new UsageError(`${shown}: ${(error as Error).message}`)
  }
}
