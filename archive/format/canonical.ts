// One value, one spelling: JSON files checked by their schema, written and read as canonical bytes.
import type { z } from 'zod'
import { ArchiveError, type ArchiveErrorCode } from '../errors.ts'
import { fieldName, refuseDeepOrRepeated } from './json.ts'

/** A kind of JSON file of the archive. */
export interface FileFormat<T> {
  /** Gives the properties in the order in which they are written. */
  schema: z.ZodType<T>
  /** What it is called in refusals. */
  name: string
  refusal: ArchiveErrorCode
}

/**
 * The canonical bytes of a value, whatever the order of its properties: JSON, two spaces of
 * indentation, a newline at the end.
 * @throws ArchiveError naming the property and the rule that it breaks
 */
export function canonicalBytes<T>(format: FileFormat<T>, value: T): Uint8Array {
  return encode(checked(format, value))
}

/**
 * Reads canonical bytes, and no others.
 * @throws ArchiveError for any bytes that `canonicalBytes` would not have written
 */
export function parseCanonical<T>(format: FileFormat<T>, bytes: Uint8Array): T {
  const value = parseAnySpelling(format, bytes)
  const again = encode(value)
  if (again.length !== bytes.length || again.some((byte, index) => byte !== bytes[index]))
    refuse(format, 'is not in the canonical form (order, white space or spelling)')
  return value
}

/**
 * Reads JSON in any spelling: order of properties, white space, escapes. A repeated property is an
 * error all the same, since parsers differ in which one they keep.
 * @throws ArchiveError
 */
export function parseAnySpelling<T>(format: FileFormat<T>, bytes: Uint8Array): T {
  return checked(format, parseJson(format, bytes))
}

/**
 * The value with its properties in order.
 * @throws ArchiveError naming the first property that breaks a rule
 */
export function checked<T>(format: FileFormat<T>, value: unknown): T {
  const result = format.schema.safeParse(value, { reportInput: true })
  return result.success ? result.data : refuse(format, lineOf(result.error.issues[0]))
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
}

function parseJson<T>(format: FileFormat<T>, bytes: Uint8Array): unknown {
  let text: string
  let value: unknown
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    value = JSON.parse(text)
  } catch {
    return refuse(format, 'is not JSON in UTF-8')
  }
  try {
    refuseDeepOrRepeated(text)
  } catch (error) {
    return refuse(format, (error as SyntaxError).message)
  }
  return value
}

function refuse<T>({ name, refusal }: FileFormat<T>, rule: string): never {
  throw new ArchiveError(refusal, `${name}: ${rule}`)
}

/** `counters.messages: must be …` */
function lineOf(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) throw new Error('a failed check has no issue')
  if (issue.code === 'unrecognized_keys')
    return `${fieldName([...issue.path, issue.keys[0] ?? ''])}: unknown property`
  const place = fieldName(issue.path)
  return place === '' ? ruleOf(issue) : `${place}: ${ruleOf(issue)}`
}

function ruleOf(issue: z.core.$ZodIssue): string {
  // Checks across properties, and each scalar, come with their own words.
  if (issue.code === 'custom') return issue.message
  if (issue.input === undefined) return 'is missing'
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`
  if (issue.code === 'invalid_union') return 'must be true or false'
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'must be an object'
  if (issue.code === 'invalid_type' && issue.expected === 'array') return 'must be an array'
  return issue.message
}
