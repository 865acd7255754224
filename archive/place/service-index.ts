// Reads `index.json`, in which a service lists its days, page by page (API.md 9.2).
import { type BadFile, badFile } from '../base/errors.ts'
import { jsonOrNull } from '../base/json.ts'
import { type AnyDay, anyPageSchema, MAX_PAGE } from '../format/listing.ts'
import { INDEX_JSON_URL } from '../format/paths.ts'
import type { ReadFile } from './place.ts'

/** Two centuries of days, which is more than the format can name (FORMAT.md 2.6). */
export const MAX_PAGES = 730

/** A page of the list. */
export interface IndexPage {
  /** Newest first. */
  items: AnyDay[]
  /** The cursor of the next page; null after the last. */
  next: string | null
}

/** The URL of a page. @param before its cursor; null for the first */
export function indexUrl(before: string | null): string {
  return `${INDEX_JSON_URL}?limit=${MAX_PAGE}${before ? `&before=${before}` : ''}`
}

/** Reads a page. @returns `invalid_index` if it breaks a rule */
export async function readIndexPage(
  service: { readList(url: string): Promise<ReadFile | BadFile> },
  before: string | null,
): Promise<IndexPage | BadFile> {
  const file = await service.readList(indexUrl(before))
  return 'problem' in file ? file : parsePage(file.content, before)
}

function parsePage(bytes: Uint8Array, before: string | null): IndexPage | BadFile {
  const page = anyPageSchema.safeParse(jsonOrNull(new TextDecoder().decode(bytes)))
  if (!page.success) return invalidIndex(pageRule(page.error.issues[0]?.path ?? []))
  const { items, has_more, next_before: next } = page.data
  let last = before
  for (const { day } of items) {
    if (last !== null && day >= last) return invalidIndex(`${day}: days must descend, each once`)
    last = day
  }
  if (!has_more) return { items, next: null }
  // Each page must begin below the one before, so that the listing ends. A page may skip days.
  const isBelow = next !== null && next !== before && (last === null || next <= last)
  if (!isBelow) return invalidIndex('next_before: does not name where the next page begins')
  return { items, next }
}

/** @param path the first property of the page that breaks the schema */
function pageRule(path: readonly PropertyKey[]): string {
  if (path.length > 1) return 'has an item without a day'
  return path[0] === undefined || path[0] === 'items'
    ? 'is not a page of the archive'
    : `${String(path[0])}: does not name where the next page begins`
}

function invalidIndex(message: string): BadFile {
  return badFile('invalid_index', message)
}
