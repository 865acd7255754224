// Writes and parses the canonical JSON of FORMAT.md 1.3, validated by a schema.
import type * as z from 'zod'
import { ArchiveError, type ArchiveErrorCode } from '../base/errors.ts'
import { fieldName, rejectDeepOrRepeated } from '../base/json.ts'

/**
 * The reader and writer of a kind of JSON file. All of them throw ArchiveError with this code for what breaks a rule, which
 * it names with the property.
 * @param schema yields the properties in the order in which they are written
 * @param name the name used in error messages
 */
export function fileFormat<T>(schema: z.ZodType<T>, name: string, code: ArchiveErrorCode) {
  const reject = (rule: string): never => {
    throw new ArchiveError(code, `${name}: ${rule}`)
  }
  /** Validates a value and returns it with its properties in order. */
  const check = (value: unknown): T => {
    const result = schema.safeParse(value, { reportInput: true })
    return result.success ? result.data : reject(lineOf(result.error.issues[0]))
  }
  /**
   * Parses JSON with any order of properties, white space and escapes. A repeated property is still an
   * error, because parsers differ in which value they keep.
   */
  const parseAnySpelling = (bytes: Uint8Array): T => {
    let text = ''
    let value: unknown
    try {
      text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
      value = JSON.parse(text)
    } catch {
      reject('is not JSON in UTF-8')
    }
    try {
      rejectDeepOrRepeated(text)
    } catch (error) {
      reject((error as SyntaxError).message)
    }
    return check(value)
  }
  return {
    check,
    parseAnySpelling,
    /** Serializes a value to canonical bytes, whatever the order of its properties. */
    write: (value: T): Uint8Array => encode(check(value)),
    /** Parses only bytes that `write` would have written. */
    parse(bytes: Uint8Array): T {
      const value = parseAnySpelling(bytes)
      if (!isSame(encode(value), bytes))
        reject('is not in the canonical form (order, white space or spelling)')
      return value
    },
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

/** JSON with two spaces of indentation and a newline at the end. */
function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
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
