// Parses an archive's location on a command line: a folder, an HTTP address or an object store.
import { isAddress, parseBaseAddress } from '../../archive/base/base-address.ts'
import { UsageError } from '../../archive/base/terminal.ts'
import { isBucketUrl, parseBucketName } from '../../archive/place/location.ts'

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
    throw new UsageError(`${withoutUser(text)}: ${(error as Error).message}`)
  }
}

function withoutUser(text: string): string {
  return text.replace(/\/\/[^/?#]*@/, '//')
}
