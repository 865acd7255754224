// What a request line and a Host field name: host, path and query (RFC 9112 sections 3.2 and 7.2).

export interface Target {
  pathname: string
  /** With its question mark, or empty. */
  search: string
  /** Host and port. */
  host: string
}

/** A target with nothing to normalise, as most are: no escape in its path, and no fragment. */
const PLAIN = /^\/[\w/.~-]*(?:\?[^#]*)?$/

/** What a path may not hold as it is; node:http gives a byte beyond ASCII as the character of its number. */
const UNESCAPED = /[^!-~]|["<>\\^`{|}]/gu

/** Escapes of characters that a path may hold as they are (RFC 3986 section 6.2.2.2). */
const NEEDLESS_ESCAPE = /%(?:2[146-9A-E]|3[0-9ABD]|4[0-9A-F]|5[0-9ABDF]|6[1-9A-F]|7[0-9ACE])/gi

const ABSOLUTE = /^https?:\/\/[^/?#]*/i

/**
 * Reads a request target that starts with a path, or is an absolute http address. Dot segments stay as they are: no
 * address of the service has one, and resolved they would name another (API.md 1.10).
 * @param host the Host field's value, which an absolute target overrules
 * @returns undefined where it is neither
 */
export function readTarget(target: string, host: string): Target | undefined {
  if (PLAIN.test(target)) return splitPath(target, host)
  if (target === '*') return { pathname: '/*', search: '', host }
  if (target.startsWith('/')) return normalised(target, host)
  if (!ABSOLUTE.test(target) || !URL.canParse(target)) return undefined
  const path = target.replace(ABSOLUTE, '')
  return normalised(path.startsWith('/') ? path : `/${path}`, new URL(target).host)
}

function normalised(target: string, host: string): Target {
  const [withoutFragment = ''] = target.split('#', 1)
  const { pathname, search } = splitPath(withoutFragment, host)
  const escaped = pathname.replace(UNESCAPED, encodeURIComponent)
  return { pathname: escaped.replace(NEEDLESS_ESCAPE, decodeURIComponent), search, host }
}

function splitPath(target: string, host: string): Target {
  const mark = target.indexOf('?')
  return mark === -1
    ? { pathname: target, search: '', host }
    : { pathname: target.slice(0, mark), search: target.slice(mark), host }
}
