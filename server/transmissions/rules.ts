// What a request to the archive may ask for, and the shape of a list's item (decisions.md 9.7, 9.9).
import type { Manifest, Snapshot } from '../../archive/format/manifest.ts'
import {
  dayOf,
  isDay,
  MEDIA_KINDS,
  type MediaKind,
  manifestUrl,
  snapshotUrl,
} from '../../archive/format/paths.ts'
import { Problem } from '../wire/problem.ts'
import { one } from '../wire/query.ts'

/** Days on a page when the request does not say. */
export const DAYS_SHOWN = 30

/** `?before=`: only earlier days. @throws Problem unless it is a real date, given once */
export function readBefore(query: URLSearchParams): string | undefined {
  const text = one(query, 'before', 'invalid_day')
  if (text !== undefined && !isDay(text))
    throw new Problem('invalid_day', 'before: must be a real date, written YYYY-MM-DD')
  return text
}

/** Whether a path's text is a day that can have been archived at `now` (ms): real, and not in the future. */
export function isPastDay(text: string, now: number): boolean {
  return isDay(text) && text <= dayOf(now)
}

/** A medium in a list: where it is, or nulls. */
export interface MediumItem {
  available: boolean
  url: string | null
  sha256: string | null
}

/** One day in `index.json`. */
export interface DayItem {
  day: string
  counters: Snapshot['counters']
  availability: Snapshot['availability']
  coverage: Snapshot['coverage']['status']
  clock: Snapshot['clock']['status']
  conclusion: Snapshot['conclusion']
  media: Record<MediaKind, MediumItem>
  url: string
  manifest_url: string
}

export function dayItem({ day, snapshot, media }: Manifest): DayItem {
  const items = MEDIA_KINDS.map((kind) => [kind, mediumItem(media[kind])] as const)
  return {
    day,
    counters: snapshot.counters,
    availability: snapshot.availability,
    coverage: snapshot.coverage.status,
    clock: snapshot.clock.status,
    conclusion: snapshot.conclusion,
    media: Object.fromEntries(items) as DayItem['media'],
    url: snapshotUrl(day),
    manifest_url: manifestUrl(day),
  }
}

function mediumItem(medium: Manifest['media'][MediaKind]): MediumItem {
  return medium.available
    ? { available: true, url: medium.url, sha256: medium.sha256 }
    : { available: false, url: null, sha256: null }
}
