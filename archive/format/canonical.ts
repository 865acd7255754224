// Writes and parses the canonical JSON of FORMAT.md 1.3, validated by a schema.
import type * as z from 'zod'
import { ArchiveError, type ArchiveErrorCode } from '../base/errors.ts'
import { fieldName, rejectDeepOrRepeated } from '../base/json.ts'

/** A kind of JSON file of the archive. */
export interface FileFormat<T> {
  /** Yields the properties in the order in which they are written. */
  schema: z.ZodType<T>
  /** The name used in error messages. */
  name: string
  errorCode: ArchiveErrorCode
}

/**
 * Serializes a value to canonical bytes, whatever the order of its properties: JSON with two spaces of
 * indentation and a newline at the end.
 * @throws ArchiveError naming the property and the broken rule
 */
export function canonicalBytes<T>(format: FileFormat<T>, value: T): Uint8Array {
  return encode(checked(format, value))
}

/**
 * Parses canonical bytes only.
 * @throws ArchiveError for bytes that `canonicalBytes` would not have written
 */
export function parseCanonical<T>(format: FileFormat<T>, bytes: Uint8Array): T {
  const value = parseAnySpelling(format, bytes)
  const again = encode(value)
  if (again.length !== bytes.length || again.some((byte, index) => byte !== bytes[index]))
    reject(format, 'is not in the canonical form (order, white space or spelling)')
  return value
}

/**
 * Parses JSON with any order of properties, white space and escapes. A repeated property is still an
 * error, because parsers differ in which value they keep.
 * @throws ArchiveError
 */
export function parseAnySpelling<T>(format: FileFormat<T>, bytes: Uint8Array): T {
  return checked(format, parseJson(format, bytes))
}

/**
 * Validates a value and returns it with its properties in order.
 * @throws ArchiveError naming the first property that breaks a rule
 */
export function checked<T>(format: FileFormat<T>, value: unknown): T {
  const result = format.schema.safeParse(value, { reportInput: true })
  return result.success ? result.data : reject(format, lineOf(result.error.issues[0]))
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
    return reject(format, 'is not JSON in UTF-8')
  }
  try {
    rejectDeepOrRepeated(text)
  } catch (error) {
    return reject(format, (error as SyntaxError).message)
  }
  return value
}

function reject<T>({ name, errorCode }: FileFormat<T>, rule: string): never {
  throw new ArchiveError(errorCode, `${name}: ${rule}`)
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
  // Scalars and checks across properties have messages of their own.
  if (issue.code === 'custom') return issue.message
  if (issue.input === undefined) return 'is missing'
  if (issue.code === 'invalid_value') {
    // Names a version that this program does not know (FORMAT.md 1.5).
    const found = typeof issue.input === 'number' ? `is ${issue.input}, and ` : ''
    return `${found}must be ${issue.values.map(String).join(' or ')}`
  }
  if (issue.code === 'invalid_union') return 'must be true or false'
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'must be an object'
  if (issue.code === 'invalid_type' && issue.expected === 'array') return 'must be an array'
  return issue.message
}
