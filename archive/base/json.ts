// Parses and writes JSON without losing digits of 64-bit integers, and rejects what JSON.parse accepts but a strict
// reader must not: repeated keys and deep nesting. Both the archive and the server parse through it.

declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/** Deeper nesting than any file or request of this project needs. */
const MAX_DEPTH = 32

/** JSON that is valid but rejected. The message quotes a key at most, never a value. */
export class RejectedJson extends SyntaxError {
  override name = 'RejectedJson'
}

const STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/**
 * Scans the brackets and strings of valid JSON in linear time. A reviver cannot do this: JSON.parse has
 * already dropped all but the last of equal keys, and recurses as deep as the text. Parse the text first,
 * since in invalid JSON an unclosed string would be scanned again from each quotation mark.
 * @throws RejectedJson for nesting deeper than 32 levels or a repeated key
 */
export function rejectDeepOrRepeated(text: string): void {
  /** One set of keys for each open object, null for each open array. */
  const open: (Set<string> | null)[] = []
  let last = ''
  // Unlike exec, matchAll compiles the expression again for each text.
  STRUCTURE.lastIndex = 0
  for (let found = STRUCTURE.exec(text); found; found = STRUCTURE.exec(text)) {
    const token = found[0]
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > MAX_DEPTH) throw new RejectedJson(`nested deeper than ${MAX_DEPTH} levels`)
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') noteKey(open.at(-1), last)
    last = token
  }
}

function noteKey(keys: Set<string> | null | undefined, token: string): void {
  if (!keys || !token.startsWith('"')) return
  // Only escapes can spell a key in two ways.
  const key = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1)
  if (keys.has(key)) throw new RejectedJson(`the key ${token} is repeated`)
  keys.add(key)
}

const OPENING = /[[{]/g

/**
 * Whether the text is what JSON.stringify writes for the value, and has no more brackets than the deepest text may have.
 * Such a text needs no scan, which takes several times as long: it has no repeated key and is not too deep.
 */
function isCompact(text: string, value: unknown): boolean {
  OPENING.lastIndex = 0
  for (let opened = 0; OPENING.test(text); opened += 1) if (opened === MAX_DEPTH) return false
  return JSON.stringify(value) === text
}

/** Parses JSON as JSON.parse does; null if it is none. */
export function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

const INTEGER_TOKEN = /^-?(?:0|[1-9][0-9]*)$/
const STRING = /"(?:[^"\\]|\\.)*"/gs
/** What shows, outside of strings, that a number is no integer token, or may not hold one exactly. */
const INEXACT = /[0-9][.eE]|[0-9]{16}|-0/

/**
 * Parses JSON. An integer token (no fraction, no exponent) becomes a bigint, any other number a number, so that `1.0`
 * and `1` differ (API.md 1.2).
 * @throws SyntaxError on invalid JSON, on nesting deeper than 32 levels, on a repeated key
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!isCompact(text, value)) rejectDeepOrRepeated(text)
  return exact(text, value)
}

/** Parses JSON that has no white space between its tokens. @throws SyntaxError as `parseJson`, and for white space */
export function parseCompactJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!isCompact(text, value)) {
    rejectDeepOrRepeated(text)
    if (/\s/.test(text.replace(STRING, '""'))) throw new RejectedJson('has white space')
  }
  return exact(text, value)
}

/** @param value of the text, with integers as numbers; it is changed */
function exact(text: string, value: unknown): unknown {
  if (!holdsNumber(value)) return value
  // A reviver with source access makes parsing ten times slower, so use one only where a number has lost its form.
  if (!INEXACT.test(text.replace(STRING, '""'))) return withBigints(value)
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && INTEGER_TOKEN.test(source)
      ? BigInt(source)
      : value,
  )
}

function holdsNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'number'
  return Object.values(value).some(holdsNumber)
}

/** Replaces integers by bigints, in place. */
function withBigints(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value)
  if (typeof value !== 'object' || value === null) return value
  const holder = value as Record<string, unknown>
  for (const key of Object.keys(holder)) holder[key] = withBigints(holder[key])
  return value
}

/** Returns compact JSON, with each bigint as an exact integer. */
export const stringifyJson = (value: unknown): string =>
  JSON.stringify(value, (_key, item) => (typeof item === 'bigint' ? exactNumber(item) : item))

/** Returns what JSON.stringify writes as this integer. */
export const exactNumber = (value: bigint): number | { readonly rawJSON: string } =>
  Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(value.toString())

/** Formats the path of a JSON value: `['sources', 2, 'url']` -> `sources[2].url`. */
export function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, step) => {
    if (typeof step === 'number') return `${name}[${step}]`
    return name === '' ? String(step) : `${name}.${String(step)}`
  }, '')
}
