// The source for a service over HTTP, including its lists of days.
import { ArchiveError } from '../errors.ts'
import { MAX_JSON_BYTES } from '../format/bounds.ts'
import { writeCsv } from '../format/csv.ts'
import { sha256Of } from '../format/hash.ts'
import { MAX_PAGE } from '../format/listing.ts'
import type { Manifest } from '../format/manifest.ts'
import { INDEX_CSV_URL, INDEX_JSON_URL, LATEST_URL, nextDay } from '../format/paths.ts'
import { parseSnapshot } from '../format/snapshot.ts'
import { SERVICE } from '../http/locate.ts'
import type { Finding, FindingCode } from './findings.ts'
import type { HttpFiles } from './http.ts'
import { differences, readPage, type ServedDay } from './listing.ts'
import { readSelection } from './selection.ts'
import type { Listing, Source, SourceFile } from './source.ts'

/** Two centuries of days, which is more than the format can name (FORMAT.md 2.6). */
const MAX_PAGES = 730

const CSV_HEADER = writeCsv([])

/** Reads a service's archive for verify. */
export function serviceSource(files: HttpFiles): Source {
  return new ServiceSource(files)
}

class ServiceSource implements Source {
  readonly place: string
  readonly holdsDerived = false
  readonly #files: HttpFiles
  readonly #listed = new Map<string, ServedDay>()

  constructor(files: HttpFiles) {
    this.place = files.base
    this.#files = files
  }

  /** Reads all pages, which list the newest day first, and reverses them. */
  async list(): Promise<Listing> {
    const findings: Finding[] = []
    // Read it before the list: a day published in between would otherwise be missing from the list.
    const latest = await this.#files.read(LATEST_URL, MAX_JSON_BYTES)
    let before: string | null = null
    let pages = 0
    do before = await this.#listPage(before, findings)
    while (before !== null && ++pages < MAX_PAGES)
    if (before !== null)
      findings.push(finding('invalid_index', INDEX_JSON_URL, `has more than ${MAX_PAGES} pages`))
    this.#checkLatest(latest, findings)
    const mirror = await readSelection(this)
    findings.push(...mirror.findings)
    return { days: [...this.#listed.keys()].reverse(), findings, selection: mirror.selection }
  }

  /** Checks that `latest.json` is of a listed day, and stores its hash with that day. */
  #checkLatest(latest: SourceFile, findings: Finding[]): void {
    if ('problem' in latest) {
      const empty = latest.problem.code === 'missing' && this.#listed.size === 0
      if (!empty) findings.push({ ...latest.problem, file: LATEST_URL })
      return
    }
    const day = dayIn(latest.bytes)
    const listed = day === null ? undefined : this.#listed.get(day)
    if (listed) listed.latest = sha256Of(latest.bytes)
    else
      findings.push(finding('index_differs', LATEST_URL, 'is not of a day that index.json lists'))
  }

  nameOf(day: string, name: string): string {
    return SERVICE.ofDay(day, name)
  }

  read(day: string, name: string, limit: number): Promise<SourceFile> {
    return this.#files.read(this.nameOf(day, name), limit)
  }

  readRoot(name: string, limit: number): Promise<SourceFile> {
    return this.#files.read(this.rootName(name), limit)
  }

  rootName(name: string): string {
    return SERVICE.root(name)
  }

  /** Compares `index.json`, `index.csv` and `latest.json` with the manifest. */
  async crossCheck(day: string, manifest: Manifest): Promise<Finding[]> {
    const listed = this.#listed.get(day)
    if (!listed) return []
    const findings = differences(listed.item, manifest).map((name) =>
      finding('index_differs', INDEX_JSON_URL, `${day}: ${name} is not as in the manifest`),
    )
    if (listed.row !== null && CSV_HEADER + listed.row !== writeCsv([manifest]))
      findings.push(
        finding('index_differs', INDEX_CSV_URL, `${day}: the row is not as in the manifest`),
      )
    if (listed.latest !== null && listed.latest !== manifest.snapshot_file.sha256)
      findings.push(
        finding('index_differs', LATEST_URL, `is not the file that the manifest of ${day} names`),
      )
    return findings
  }

  /** @returns the cursor of the next page; null after the last */
  async #listPage(before: string | null, findings: Finding[]): Promise<string | null> {
    const path = `${INDEX_JSON_URL}?limit=${MAX_PAGE}${before ? `&before=${before}` : ''}`
    const file = await this.#files.read(path, MAX_JSON_BYTES)
    if ('problem' in file && before === null)
      throw new ArchiveError('archive_unavailable', `${this.place}: ${file.problem.message}`)
    const page = 'problem' in file ? file : readPage(file.bytes, before)
    if ('problem' in page) {
      findings.push({ ...page.problem, file: path })
      return null
    }
    for (const item of page.items) this.#listed.set(item.day, { item, row: null, latest: null })
    const days = page.items.map((item) => item.day)
    await this.#listRows(days, before, findings)
    return page.next
  }

  /** Reads the same days as CSV. A cursor just above the newest keeps a day published in between from shifting rows. */
  async #listRows(days: string[], before: string | null, findings: Finding[]): Promise<void> {
    const cursor = before ?? (days[0] && nextDay(days[0]))
    const path = `${INDEX_CSV_URL}?limit=${MAX_PAGE}${cursor ? `&before=${cursor}` : ''}`
    const file = await this.#files.read(path, MAX_JSON_BYTES)
    if ('problem' in file) {
      findings.push({ ...file.problem, file: path })
      return
    }
    const [header, ...rows] = new TextDecoder().decode(file.bytes).split(/(?<=\r\n)/)
    if (header !== CSV_HEADER || rows.length !== days.length) {
      findings.push(finding('index_differs', path, `is not a header and ${days.length} rows`))
      return
    }
    for (const [index, day] of days.entries()) {
      const listed = this.#listed.get(day)
      if (listed) listed.row = rows[index] ?? null
    }
  }
}

/** The day of a snapshot; null if the bytes are not a snapshot. */
function dayIn(bytes: Uint8Array): string | null {
  try {
    return parseSnapshot(bytes).day
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'invalid_snapshot') return null
    throw error
  }
}

function finding(code: FindingCode, file: string, message: string): Finding {
  return { code, file, message }
}
