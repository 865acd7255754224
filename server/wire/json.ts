// JSON without loss: 64-bit integers stay whole, in both directions, and equal keys are refused.
import { rejectDeepOrRepeated } from '../../archive/format/json.ts'

export { RejectedJson } from '../../archive/format/json.ts'

declare global {
  interface JSON {
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): unknown
    rawJSON(text: string): { readonly rawJSON: string }
  }
}

const INTEGER_TOKEN = /^-?(?:0|[1-9][0-9]*)$/

/**
 * Parses a text. An integer token (no fraction, no exponent) becomes a bigint, any other number a
 * number, so that `1.0` and `1` can be told apart (API.md 1.2).
 * @throws SyntaxError on invalid JSON, on nesting deeper than 32 levels, on a repeated key
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  rejectDeepOrRepeated(text)
  // A reviver that sees the source takes ten times as long.
  if (!holdsNumber(value)) return value
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

/** Compact JSON; a bigint is written digit for digit. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) =>
    typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item,
  )
}
