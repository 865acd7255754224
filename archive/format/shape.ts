// Reads values of known shape: each reader checks its value and gives it back with exactly the
// properties that it knows, in the order in which they are declared.

/** Checks a value; `path` names it in the error, `counters.messages`. */
export type Reader<T> = (value: unknown, path: string) => T

/** A value breaks its shape; the message names the place and the rule. */
export class ShapeError extends Error {
  override name = 'ShapeError'

  constructor(path: string, rule: string) {
    super(path ? `${path}: ${rule}` : rule)
  }
}

/** An object with these properties, no more and no fewer. */
export function object<T extends object>(fields: { [K in keyof T]: Reader<T[K]> }): Reader<T> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ShapeError(path, 'must be an object')
    for (const key of Object.keys(value))
      if (!Object.hasOwn(fields, key)) throw new ShapeError(at(path, key), 'unknown property')
    const read: Record<string, unknown> = {}
    for (const [key, reader] of Object.entries<Reader<unknown>>(fields)) {
      if (!Object.hasOwn(value, key)) throw new ShapeError(at(path, key), 'is missing')
      read[key] = reader((value as Record<string, unknown>)[key], at(path, key))
    }
    return read as T
  }
}

export function array<T>(item: Reader<T>): Reader<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new ShapeError(path, 'must be an array')
    return value.map((element, index) => item(element, `${path}[${index}]`))
  }
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : reader(value, path))
}

export function oneOf<const T extends string | number | boolean>(...values: T[]): Reader<T> {
  return (value, path) => {
    const found = values.find((candidate) => candidate === value)
    if (found === undefined) throw new ShapeError(path, `must be ${values.join(' or ')}`)
    return found
  }
}

/** A string that passes a test. */
export function text(rule: string, test: (text: string) => boolean): Reader<string> {
  return (value, path) => {
    if (typeof value !== 'string' || !test(value)) throw new ShapeError(path, `must be ${rule}`)
    return value
  }
}

/** A finite number that passes a test. */
export function number(rule: string, test: (number: number) => boolean): Reader<number> {
  return (value, path) => {
    if (typeof value !== 'number' || !Number.isFinite(value) || !test(value))
      throw new ShapeError(path, `must be ${rule}`)
    return value
  }
}

export const boolean: Reader<boolean> = oneOf(true, false)

/**
 * The canonical bytes of a value whose properties are in order: JSON, two spaces of indentation, a
 * newline at the end.
 */
export function canonicalBytes(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value, null, 2)}\n`)
}

/**
 * Reads canonical bytes, and no others: a repeated or displaced property, other white space or
 * another spelling of a number or a string is an error.
 * @throws ShapeError
 */
export function parseCanonical<T>(bytes: Uint8Array, reader: Reader<T>): T {
  const value = reader(parseJson(bytes), '')
  const again = canonicalBytes(value)
  if (again.length !== bytes.length || again.some((byte, index) => byte !== bytes[index]))
    throw new ShapeError('', 'is not in the canonical form (order, white space or spelling)')
  return value
}

/**
 * Reads JSON in any spelling: order of properties, white space, escapes. A repeated property is an
 * error all the same, since readers differ in which one they take.
 * @throws ShapeError
 */
export function parseAnySpelling<T>(bytes: Uint8Array, reader: Reader<T>): T {
  const value = reader(parseJson(bytes), '')
  // Outside of strings JSON has no quotes, and only a property's name has a colon behind it.
  const strings = new TextDecoder().decode(bytes).matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g)
  const written = [...strings].filter(([, colon]) => colon !== undefined).length
  if (written !== countProperties(value)) throw new ShapeError('', 'repeats a property')
  return value
}

function countProperties(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const children = Object.values(value)
  const own = Array.isArray(value) ? 0 : children.length
  return children.reduce<number>((count, child) => count + countProperties(child), own)
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
  } catch {
    throw new ShapeError('', 'is not JSON in UTF-8')
  }
}

function at(path: string, key: string): string {
  return path ? `${path}.${key}` : key
}
