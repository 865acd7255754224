// The base address of a service, of a plain file server or of an object store, as people and settings name it.

import { ARCHIVE_URL } from './format/paths.ts'

const MAX_PORT = 65_535

/** Whether a text means an address, and not a folder. */
export function isAddress(text: string): boolean {
  return /^https?:/i.test(text)
}

/**
 * Reads an http or https address.
 * @returns it without a slash at its end
 * @throws Error with the rule that is broken, which does not quote the address: a password may be in it
 */
export function parseBaseAddress(text: string): string {
  const port = /^https?:\/\/[^/?#]*:([0-9]+)(?:[/?#]|$)/i.exec(text)?.[1]
  if (Number(port ?? 0) > MAX_PORT) throw new Error(`must have a port up to ${MAX_PORT}`)
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error('must be an http or https address, as in https://example.org')
  if (url.username || url.password) throw new Error('must be without user and password')
  if (/[?#]/.test(url.href)) throw new Error('must be without query and fragment')
  return url.href.replace(/\/+$/, '')
}

/** The service whose list of days an address may be, as people copy it from a browser; undefined for any other. */
export function serviceOfList(address: string): string | undefined {
  return address.endsWith(ARCHIVE_URL) ? address.slice(0, -ARCHIVE_URL.length) : undefined
}
