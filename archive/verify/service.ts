// The survey of a running service: its lists of days, which must agree with the manifests (API.md 9.2).
import { ArchiveError, type BadFile, orNull } from '../base/errors.ts'
import { nextDay } from '../format/calendar.ts'
import { writeCsv } from '../format/csv.ts'
import { sha256Of } from '../format/hash.ts'
import { type AnyDay, listedDay, MAX_PAGE } from '../format/listing.ts'
import type { Manifest } from '../format/manifest.ts'
import { INDEX_CSV_URL, INDEX_JSON_URL, LATEST_URL } from '../format/paths.ts'
import { parseSnapshot } from '../format/snapshot.ts'
import type { ReadFile } from '../place/place.ts'
import { indexUrl, MAX_PAGES, type ServicePlace } from '../place/served.ts'
import type { Survey } from './day-check.ts'
import { type Finding, findingOn } from './findings.ts'

/** A day as the service lists it. */
interface ServedDay {
  item: AnyDay
  /** Its row in `index.csv`; null if that could not be read. */
  row: string | null
  /** The SHA-256 of `latest.json`, if that is this day's; null otherwise. */
  latest: string | null
}

const CSV_HEADER = writeCsv([])

/** @throws ArchiveError `archive_unavailable` */
export async function surveyService(place: ServicePlace): Promise<Survey> {
  /** Newest first. */
  const listed = new Map<string, ServedDay>()
  const findings: Finding[] = []
  // Read it before the list: a day published in between would otherwise be missing from the list.
  const latest = await place.readList(LATEST_URL)
  let before: string | null = null
  let pages = 0
  do {
    const page = await readPage(place, before)
    for (const day of page.days) listed.set(day.item.day, day)
    findings.push(...page.findings)
    before = page.next
  } while (before !== null && ++pages < MAX_PAGES)
  const message = `has more than ${MAX_PAGES} pages`
  if (before !== null) findings.push({ code: 'invalid_index', file: INDEX_JSON_URL, message })
  findings.push(...checkLatest(latest, listed))
  return {
    days: [...listed.keys()].reverse(),
    findings,
    crossCheck: async (day, manifest) => {
      const served = listed.get(day)
      return served ? contradictions(served, day, manifest) : []
    },
  }
}

/** Compares what `index.json`, `index.csv` and `latest.json` state about a day with its manifest. */
function contradictions({ item, row, latest }: ServedDay, day: string, manifest: Manifest) {
  const findings = differing(item, listedDay(manifest), '').map((name) =>
    differs(INDEX_JSON_URL, `${day}: ${name} is not as in the manifest`),
  )
  if (row !== null && CSV_HEADER + row !== writeCsv([manifest]))
    findings.push(differs(INDEX_CSV_URL, `${day}: the row is not as in the manifest`))
  if (latest !== null && latest !== manifest.snapshot_file.sha256)
    findings.push(differs(LATEST_URL, `is not the file that the manifest of ${day} names`))
  return findings
}

/** The names of the properties in `expected` whose values differ in `actual`, which may have further ones. */
function differing(actual: unknown, expected: unknown, name: string): string[] {
  if (typeof expected !== 'object' || expected === null) return actual === expected ? [] : [name]
  const object = (typeof actual === 'object' && actual !== null ? actual : {}) as typeof expected
  return Object.entries(expected).flatMap(([key, value]) => {
    const found = Object.hasOwn(object, key) ? object[key as keyof typeof object] : undefined
    return differing(found, value, name === '' ? key : `${name}.${key}`)
  })
}

/** Checks that `latest.json` is of a listed day, and stores its hash with that day. */
function checkLatest(latest: ReadFile | BadFile, listed: ReadonlyMap<string, ServedDay>) {
  if ('problem' in latest) {
    const isEmpty = latest.problem.code === 'missing' && listed.size === 0
    return isEmpty ? [] : [findingOn(LATEST_URL, latest)]
  }
  const snapshot = orNull(() => parseSnapshot(latest.content), 'invalid_snapshot')
  const served = snapshot ? listed.get(snapshot.day) : undefined
  if (!served) return [differs(LATEST_URL, 'is not of a day that index.json lists')]
  served.latest = sha256Of(latest.content)
  return []
}

/** Reads a page of both lists. @returns its days, and the cursor of the next page; null after the last */
async function readPage(place: ServicePlace, before: string | null) {
  const page = await place.readIndexPage(before)
  if ('problem' in page) {
    const { code, message } = page.problem
    if (before === null && code !== 'invalid_index')
      throw new ArchiveError('archive_unavailable', `${place.name}: ${message}`)
    return { days: [], findings: [findingOn(indexUrl(before), page)], next: null }
  }
  // A cursor just above the newest day keeps one that is published in between from shifting the rows.
  const newest = page.items[0]?.day
  const cursor = before ?? (newest && nextDay(newest))
  const url = `${INDEX_CSV_URL}?limit=${MAX_PAGE}${cursor ? `&before=${cursor}` : ''}`
  const rows = await readRows(place, url, page.items.length)
  const days = page.items.map((item, i): ServedDay => {
    return { item, row: 'code' in rows ? null : (rows[i] ?? null), latest: null }
  })
  return { days, findings: 'code' in rows ? [rows] : [], next: page.next }
}

/** Reads a page as CSV. */
async function readRows(
  place: ServicePlace,
  url: string,
  count: number,
): Promise<string[] | Finding> {
  const file = await place.readList(url)
  if ('problem' in file) return findingOn(url, file)
  const [header, ...rows] = new TextDecoder().decode(file.content).split(/(?<=\r\n)/)
  const isWhole = header === CSV_HEADER && rows.length === count
  return isWhole ? rows : differs(url, `is not a header and ${count} rows`)
}

function differs(file: string, message: string): Finding {
  return { code: 'index_differs', file, message }
}
