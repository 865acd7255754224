// Parses the base address of a service, a plain file server or an object store, as arguments and settings give it, and names
// the variable in errors that its value causes.

export const MAX_PORT = 65_535

/** Whether the text is meant as an address rather than a folder. */
export function isAddress(text: string): boolean {
  return /^https?:/i.test(text)
}

/**
 * Parses an http or https address.
 * @returns the address without a trailing slash
 * @throws Error that states the broken rule; it does not quote the address, which may contain a password
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

/** Rethrows an error, prefixed with the variable whose value caused it. */
export function blame(variable: string, error: Error): never {
  throw new Error(`${variable}: ${error.message}`, { cause: error })
}

/** Runs `read` on the value of a variable. @throws Error that names the variable and the broken rule */
export function readVariable<T>(variable: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    return blame(variable, error as Error)
  }
}
