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
import type { ServicePlace } from '../place/served.ts'
import { indexUrl, MAX_PAGES, readIndexPage } from '../place/service-index.ts'
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
  const listing = new ServiceLists(place)
  await listing.read()
  const { listed, findings } = listing
  return {
    // The lists begin with the newest day.
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

class ServiceLists {
  /** Newest first. */
  readonly listed = new Map<string, ServedDay>()
  readonly findings: Finding[] = []
  readonly #place: ServicePlace

  constructor(place: ServicePlace) {
    this.#place = place
  }

  async read(): Promise<void> {
    // Read it before the list: a day published in between would otherwise be missing from the list.
    const latest = await this.#place.readList(LATEST_URL)
    let before: string | null = null
    let pages = 0
    do before = await this.#readPage(before)
    while (before !== null && ++pages < MAX_PAGES)
    if (before !== null)
      this.findings.push({
        code: 'invalid_index',
        file: INDEX_JSON_URL,
        message: `has more than ${MAX_PAGES} pages`,
      })
    this.#checkLatest(latest)
  }

  /** Checks that `latest.json` is of a listed day, and stores its hash with that day. */
  #checkLatest(latest: ReadFile | BadFile): void {
    if ('problem' in latest) {
      const isEmpty = latest.problem.code === 'missing' && this.listed.size === 0
      if (!isEmpty) this.findings.push(findingOn(LATEST_URL, latest))
      return
    }
    const snapshot = orNull(() => parseSnapshot(latest.content), 'invalid_snapshot')
    const served = snapshot ? this.listed.get(snapshot.day) : undefined
    if (served) served.latest = sha256Of(latest.content)
    else this.findings.push(differs(LATEST_URL, 'is not of a day that index.json lists'))
  }

  /** @returns the cursor of the next page; null after the last */
  async #readPage(before: string | null): Promise<string | null> {
    const page = await readIndexPage(this.#place, before)
    if ('problem' in page) {
      const { code, message } = page.problem
      if (before === null && code !== 'invalid_index')
        throw new ArchiveError('archive_unavailable', `${this.#place.name}: ${message}`)
      this.findings.push(findingOn(indexUrl(before), page))
      return null
    }
    for (const item of page.items) this.listed.set(item.day, { item, row: null, latest: null })
    await this.#readRows(
      page.items.map(({ day }) => day),
      before,
    )
    return page.next
  }

  /** Reads the same days as CSV. A cursor just above the newest keeps a day published in between from shifting rows. */
  async #readRows(days: string[], before: string | null): Promise<void> {
    const cursor = before ?? (days[0] && nextDay(days[0]))
    const url = `${INDEX_CSV_URL}?limit=${MAX_PAGE}${cursor ? `&before=${cursor}` : ''}`
    const file = await this.#place.readList(url)
    if ('problem' in file) {
      this.findings.push(findingOn(url, file))
      return
    }
    const [header, ...rows] = new TextDecoder().decode(file.content).split(/(?<=\r\n)/)
    if (header !== CSV_HEADER || rows.length !== days.length) {
      this.findings.push(differs(url, `is not a header and ${days.length} rows`))
      return
    }
    for (const [index, day] of days.entries()) {
      const served = this.listed.get(day)
      if (served) served.row = rows[index] ?? null
    }
  }
}

function differs(file: string, message: string): Finding {
  return { code: 'index_differs', file, message }
}
