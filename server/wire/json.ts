// Parses and writes JSON without losing digits of 64-bit integers; rejects repeated keys and deep nesting.
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
 * Parses JSON. An integer token (no fraction, no exponent) becomes a bigint, any other number a number, so that `1.0`
 * and `1` differ (API.md 1.2).
 * @throws SyntaxError on invalid JSON, on nesting deeper than 32 levels, on a repeated key
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  rejectDeepOrRepeated(text)
  // A reviver with source access makes parsing ten times slower, so use one only if there is a number.
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

/** Returns compact JSON, with each bigint as an exact integer. */
export function stringifyJson(value: unknown): string {
  return JSON.stringify(value, (_key, item) =>
    typeof item === 'bigint' ? JSON.rawJSON(item.toString()) : item,
  )
}
