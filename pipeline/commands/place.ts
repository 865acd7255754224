// Where an archive is, as a word on a command line: a folder, the address of a service, or an object store.
import { isAddress, parseBaseAddress } from '../../archive/base-address.ts'
import { isStoreUrl, parseStoreName } from '../../archive/place/location.ts'
import { UsageError } from './terminal.ts'

/** The address, without a slash at its end. @throws UsageError that names it, and the rule that it breaks */
export function readAddress(text: string): string {
  return reading(text, () => parseBaseAddress(text))
}

/** The place as it is used from now on. @throws UsageError that names it, and the rule that it breaks */
export function readPlace(text: string): string {
  if (text === '') throw new UsageError('the folder or address is empty')
  if (isStoreUrl(text)) reading(text, () => parseStoreName(text))
  else if (isAddress(text)) return readAddress(text)
  else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    throw new UsageError(`${text}: an address begins with http, https or s3`)
  return text
}

/** A password in an address is not repeated. */
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
