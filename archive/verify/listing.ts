// `index.json` as a service sends it, compared with the manifests of its days (API.md 9.2). Pure.
import { type AnyDay, anyPageSchema, listedDay } from '../format/listing.ts'
import type { Manifest } from '../format/manifest.ts'
import { type Problem, problem } from './source.ts'

/** A day as the service lists it. */
export interface ServedDay {
  item: AnyDay
  /** Its row of `index.csv`; null when that could not be read. */
  row: string | null
  /** The SHA-256 of `latest.json`, when that is of this day. */
  latest: string | null
}

/**
 * Reads a page.
 * @param before the cursor that it was asked with
 * @returns its items, newest first, and the cursor of the next page; or what is wrong with it
 */
export function readPage(
  bytes: Uint8Array,
  before: string | null,
): { items: AnyDay[]; next: string | null } | Problem {
  const page = anyPageSchema.safeParse(parseJson(bytes))
  if (!page.success) return refuse(pageRule(page.error.issues[0]?.path ?? []))
  const { items, has_more, next_before: next } = page.data
  let last = before
  for (const { day } of items) {
    if (last !== null && day >= last) return refuse(`${day}: days must descend, each once`)
    last = day
  }
  if (!has_more) return { items, next: null }
  // Each page must begin below the one before, so that every listing ends. Days may be left out.
  const isBelow = next !== null && next !== before && (last === null || next <= last)
  return isBelow ? { items, next } : refuse('next_before: does not name where the next page begins')
}

/** The names in an item that differ from what a manifest gives. */
export function differences(item: AnyDay, manifest: Manifest): string[] {
  return differing(item, listedDay(manifest), '')
}

/** The leaves of `due` that `actual` has not got; what it has in addition does not matter. */
function differing(actual: unknown, due: unknown, name: string): string[] {
  if (typeof due !== 'object' || due === null) return actual === due ? [] : [name]
  const there = (typeof actual === 'object' && actual !== null ? actual : {}) as typeof due
  return Object.entries(due).flatMap(([key, value]) => {
    const found = Object.hasOwn(there, key) ? there[key as keyof typeof there] : undefined
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

/** @param path the first property that breaks the schema of a page */
function pageRule(path: readonly PropertyKey[]): string {
  if (path.length > 1) return 'has an item without a day'
  return path[0] === undefined || path[0] === 'items'
    ? 'is not a page of the archive'
    : `${String(path[0])}: does not name where the next page begins`
}

function refuse(message: string): Problem {
  return problem('invalid_index', message)
}
