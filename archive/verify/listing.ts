// What `index.json` says of the days (decisions.md 9.7), held against their manifests. Pure.
import { COUNTER_NAMES } from '../../protocol/index.ts'
import type { Manifest } from '../format/manifest.ts'
import { isDay, MEDIA_KINDS, manifestUrl, snapshotUrl } from '../format/paths.ts'

/** An item of `index.json`; only its day has been checked. */
export interface Item {
  day: string
  [name: string]: unknown
}

/** A day as the service lists it. */
export interface ListedDay {
  item: Item
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
): { items: Item[]; next: string | null } | { problem: { code: string; message: string } } {
  const page = parseObject(bytes)
  if (!page || !Array.isArray(page.items)) return refuse('is not a page of the archive')
  let last = before
  for (const item of page.items as ({ day?: unknown } | null)[]) {
    const day = item?.day
    if (typeof day !== 'string' || !isDay(day)) return refuse('has an item without a day')
    if (last !== null && day >= last) return refuse(`${day}: days must descend, each once`)
    last = day
  }
  const items = page.items as Item[]
  if (page.has_more === false) return { items, next: null }
  const next = page.next_before
  // Each page must begin below the one before, so that every listing ends. Days may be left out.
  const below = typeof next === 'string' && isDay(next) && (last === null || next <= last)
  if (page.has_more !== true || !below || next === before)
    return refuse('has_more and next_before do not name where the next page begins')
  return { items, next }
}

/** The names in an item that differ from what a manifest gives. */
export function differences(item: Item, { day, snapshot, media }: Manifest): string[] {
  const same = (name: string, actual: unknown, due: unknown) => (actual === due ? [] : [name])
  const at = (name: string): Record<string, unknown> => {
    const value = item[name]
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  }
  const perCounter = (name: 'counters' | 'availability') =>
    COUNTER_NAMES.flatMap((counter) =>
      same(`${name}.${counter}`, at(name)[counter], snapshot[name][counter]),
    )
  const perMedium = MEDIA_KINDS.flatMap((kind) => {
    const due = media[kind]
    const said = (at('media')[kind] ?? {}) as Record<string, unknown>
    return [
      ...same(`media.${kind}.available`, said.available, due.available),
      ...same(`media.${kind}.url`, said.url ?? null, due.available ? due.url : null),
      ...same(`media.${kind}.sha256`, said.sha256 ?? null, due.available ? due.sha256 : null),
    ]
  })
  return [
    ...perCounter('counters'),
    ...perCounter('availability'),
    ...same('coverage', item.coverage, snapshot.coverage.status),
    ...same('clock', item.clock, snapshot.clock.status),
    ...same('conclusion', item.conclusion, snapshot.conclusion),
    ...perMedium,
    ...same('url', item.url, snapshotUrl(day)),
    ...same('manifest_url', item.manifest_url, manifestUrl(day)),
  ]
}

function refuse(message: string): { problem: { code: string; message: string } } {
  return { problem: { code: 'invalid_index', message } }
}

function parseObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
