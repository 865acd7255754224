// JSON without loss: 64-bit integers stay whole, in both directions, and equal keys are refused.

declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

/** Deeper nesting than any request of this service has a use for. */
const MAX_DEPTH = 32

const INTEGER_TOKEN = /^-?(?:0|[1-9][0-9]*)$/
const STRUCTURE = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs

/**
 * Parses a text. An integer token (no fraction, no exponent) becomes a bigint, any other number a
 * number, so that `1.0` and `1` can be told apart (decisions.md 1.2).
 * @throws SyntaxError on invalid JSON, on nesting deeper than 32 levels, on a repeated key
 */
export function parseJson(text: string): unknown {
  JSON.parse(text)
  refuseDeepOrRepeated(text)
  return JSON.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && INTEGER_TOKEN.test(source)
      ? BigInt(source)
      : value,
  )
}

/** Compact JSON; a bigint is written digit for digit. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) =>
    typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item,
  )
}

/**
 * Walks the brackets and strings of a text that is valid JSON: JSON.parse keeps the last of two
 * equal keys, and its reviver recurses as deep as the text does. Valid first, since a string that
 * never closes would be looked for again from each of its quotation marks.
 */
function refuseDeepOrRepeated(text: string): void {
  /** One set of keys for each open object, null for each open array. */
  const open: (Set<string> | null)[] = []
  let last = ''
  for (const [token] of text.matchAll(STRUCTURE)) {
    if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > MAX_DEPTH) throw new SyntaxError(`nested deeper than ${MAX_DEPTH} levels`)
    } else if (token === '}' || token === ']') open.pop()
    else if (token === ':') noteKey(open.at(-1), last)
    last = token
  }
}

function noteKey(keys: Set<string> | null | undefined, token: string): void {
  if (!keys || !token.startsWith('"')) return
  const key = JSON.parse(token) as string
  if (keys.has(key)) throw new SyntaxError(`the key ${token} is repeated`)
  keys.add(key)
}
