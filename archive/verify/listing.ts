// Parses `index.json` as a service sends it and compares its items with the manifests (API.md 9.2). Pure.
import { type AnyDay, anyPageSchema, listedDay } from '../format/listing.ts'
import type { Manifest } from '../format/manifest.ts'
import { type Problem, problem } from './source.ts'

/** A day as the service lists it. */
export interface ServedDay {
  item: AnyDay
  /** Its row in `index.csv`; null if that could not be read. */
  row: string | null
  /** The SHA-256 of `latest.json`, if that is this day's; null otherwise. */
  latest: string | null
}

/**
 * Parses a page.
 * @param before the cursor of the request
 * @returns the items, newest first, and the cursor of the next page, or null after the last; a Problem if invalid
 */
export function readPage(
  bytes: Uint8Array,
  before: string | null,
): { items: AnyDay[]; next: string | null } | Problem {
  const page = anyPageSchema.safeParse(parseJson(bytes))
  if (!page.success) return invalid(pageRule(page.error.issues[0]?.path ?? []))
  const { items, has_more, next_before: next } = page.data
  let last = before
  for (const { day } of items) {
    if (last !== null && day >= last) return invalid(`${day}: days must descend, each once`)
    last = day
  }
  if (!has_more) return { items, next: null }
  // Each page must begin below the one before, so that the listing ends. A page may skip days.
  const isBelow = next !== null && next !== before && (last === null || next <= last)
  return isBelow
    ? { items, next }
    : invalid('next_before: does not name where the next page begins')
}

/** The names of the properties in an item that differ from the manifest. */
export function differences(item: AnyDay, manifest: Manifest): string[] {
  return differing(item, listedDay(manifest), '')
}

/** The paths in `expected` whose values differ in `actual`; additional properties are ignored. */
function differing(actual: unknown, expected: unknown, name: string): string[] {
  if (typeof expected !== 'object' || expected === null) return actual === expected ? [] : [name]
  const object = (typeof actual === 'object' && actual !== null ? actual : {}) as typeof expected
  return Object.entries(expected).flatMap(([key, value]) => {
    const found = Object.hasOwn(object, key) ? object[key as keyof typeof object] : undefined
    return differing(found, value, name === '' ? key : `${name}.${key}`)
  })
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** @param path the first property of the page that breaks the schema */
function pageRule(path: readonly PropertyKey[]): string {
  if (path.length > 1) return 'has an item without a day'
  return path[0] === undefined || path[0] === 'items'
    ? 'is not a page of the archive'
    : `${String(path[0])}: does not name where the next page begins`
}

function invalid(message: string): Problem {
  return problem('invalid_index', message)
}
