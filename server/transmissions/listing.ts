// Lists archived days page by page, newest first, and finds a day's neighbours (API.md 9.2).
import type { Logger } from 'pino'
import { type ArchiveError, isArchiveError } from '../../archive/errors.ts'
import { dayOf } from '../../archive/format/calendar.ts'
import { type ArchiveIndex, listedDay } from '../../archive/format/listing.ts'
import type { Manifest } from '../../archive/format/manifest.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { Clock } from '../system.ts'
import { readLimit } from '../wire/query.ts'
import { DAYS_SHOWN, readDayBefore } from './rules.ts'

/** A page of days. */
export interface ArchivePage {
  manifests: Manifest[]
  /** The `before` of the next page; null on the last page. */
  next_before: string | null
  /** Whether the page starts at the newest day of the archive; true if the archive is empty. */
  from_newest: boolean
  limit: number
}

export interface ListDeps {
  archive: ArchiveReader
  clock: Clock
  log: Logger
}

/** The sealed days up to today, ascending. A day dated in the future is not served at any address. */
export async function pastDays({
  archive,
  clock,
}: Pick<ListDeps, 'archive' | 'clock'>): Promise<readonly string[]> {
  const days = await archive.days()
  const today = dayOf(clock.now())
  const end = days.findLastIndex((day) => day <= today) + 1
  return end === days.length ? days : days.slice(0, end)
}

/** Returns the page that `before` and `limit` select. @throws Problem invalid_day, invalid_limit */
export async function archivePage(deps: ListDeps, query: URLSearchParams): Promise<ArchivePage> {
  const before = readDayBefore(query)
  const limit = readLimit(query, DAYS_SHOWN)
  const days = await pastDays(deps)
  // Search from the end: the archive may have thousands of days, and most readers want recent ones.
  const end = before === undefined ? days.length : days.findLastIndex((day) => day < before) + 1
  const shown = days.slice(Math.max(0, end - limit), end).reverse()
  return {
    manifests: await readableDays(deps, shown),
    next_before: end > limit ? (shown.at(-1) as string) : null,
    from_newest: end === days.length,
    limit,
  }
}

/** Reads the manifests of these archived days and omits damaged ones. */
export async function readableDays(deps: ListDeps, days: readonly string[]): Promise<Manifest[]> {
  const manifests = await Promise.all(days.map((day) => readable(deps, day)))
  return manifests.filter((manifest) => manifest !== null)
}

/** Returns null for a damaged manifest, which must not make the other days unavailable. */
async function readable({ archive, log }: ListDeps, day: string): Promise<Manifest | null> {
  try {
    return (await archive.manifest(day))?.manifest ?? null
  } catch (error) {
    if (!isArchiveError(error) || error.code === 'archive_unavailable') throw error
    logDamage(log, error)
    return null
  }
}

export function indexOf({ manifests, next_before }: ArchivePage): ArchiveIndex {
  return { items: manifests.map(listedDay), next_before, has_more: next_before !== null }
}

/**
 * Returns the archived days before a day, and the nearest ones on either side (null if there is none). The day itself
 * need not be listed: the list of an object store is cached, so it can lack a day whose manifest is already readable.
 */
export async function neighbours(deps: Pick<ListDeps, 'archive' | 'clock'>, day: string) {
  const days = await pastDays(deps)
  const earlier = days.slice(0, days.findLastIndex((other) => other < day) + 1)
  return {
    earlier,
    older: earlier.at(-1) ?? null,
    newer: days.find((other) => other > day) ?? null,
  }
}

/** Logs damage for the operator; visitors never see the details. */
export function logDamage(log: Logger, error: ArchiveError): void {
  log.error({ code: error.code }, `the archive: ${error.message}`)
}
