// Parses a request target into path, query and host (RFC 9112 sections 3.2 and 7.2).

export interface Target {
  pathname: string
  /** With its question mark, or empty. */
  search: string
  /** Host and port. */
  host: string
}

/** A target that needs no normalising, as most do: its path has no escape, and it has no fragment. */
const PLAIN = /^\/[\w/.~-]*(?:\?[^#]*)?$/

/** Characters that a path must escape; node:http decodes a non-ASCII byte as the character with its number. */
const UNESCAPED = /[^!-~]|["<>\\^`{|}]/gu

/** Escapes of characters that need none in a path (RFC 3986 section 6.2.2.2). */
const NEEDLESS_ESCAPE = /%(?:2[146-9A-E]|3[0-9ABD]|4[0-9A-F]|5[0-9ABDF]|6[1-9A-F]|7[0-9ACE])/gi

const ABSOLUTE = /^https?:\/\/[^/?#]*/i

const LABEL = String.raw`\w(?:[\w-]{0,61}\w)?`
/** A host name (RFC 1123 section 2.1, and `_`) or an IP address, with an optional port. */
const HOST = new RegExp(String.raw`^(?:${LABEL}(?:\.${LABEL})*\.?|\[[0-9A-Fa-f:.]+\])(?::[0-9]*)?$`)

/**
 * Whether a Host field names a host, in syntax and value: the URL parser rejects ports above 65535 and invalid
 * IPv4 numbers. No character of a legal name means anything to a shell, so commands on pages can contain it.
 */
export const isHost = (text: string): boolean => HOST.test(text) && URL.canParse(`http://${text}/`)

/**
 * Parses a request target: a path with an optional query, or an absolute http URL. Dot segments are not resolved: no
 * URL of the service has one, and resolving them would lead to another URL (API.md 1.10).
 * @param host the Host field's value, which an absolute target overrides
 * @returns undefined for any other target
 */
export function readTarget(target: string, host: string): Target | undefined {
  if (PLAIN.test(target)) return splitPath(target, host)
  if (target === '*') return { pathname: '/*', search: '', host }
  if (target.startsWith('/')) return normalised(target, host)
  if (!ABSOLUTE.test(target) || !URL.canParse(target)) return undefined
  const named = new URL(target).host
  if (!isHost(named)) return undefined
  const path = target.replace(ABSOLUTE, '')
  return normalised(path.startsWith('/') ? path : `/${path}`, named)
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
