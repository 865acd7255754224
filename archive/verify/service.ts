// A source over HTTP: the service at its base address. It trusts nothing that it is sent: redirects
// are not followed, and length and time of every answer are bounded.
import { ArchiveError } from '../errors.ts'
import { writeCsv } from '../format/csv.ts'
import { sha256Of } from '../format/hash.ts'
import { MAX_PAGE } from '../format/listing.ts'
import type { Manifest } from '../format/manifest.ts'
import { WHOLE } from '../format/mirror.ts'
import {
  ARCHIVE_URL,
  INDEX_CSV_URL,
  INDEX_JSON_URL,
  LATEST_URL,
  manifestName,
  manifestUrl,
  mediaUrl,
  nextDay,
  snapshotName,
  snapshotUrl,
} from '../format/paths.ts'
import { parseSnapshot } from '../format/snapshot.ts'
import type { Finding, FindingCode } from './findings.ts'
import { differences, readPage, type ServedDay } from './listing.ts'
import { type Listing, problem, type Source, type SourceFile } from './source.ts'

const MAX_PAGE_BYTES = 1024 * 1024
/** Two centuries of days: a service that lists more is no archive. */
const MAX_PAGES = 730
/** For a whole answer, to its last byte. */
const TIMEOUT_MS = 60_000
/** After so many failed requests, the rest is not asked for. */
const MAX_FAILURES = 5

const CSV_HEADER = writeCsv([])

/**
 * Reads a service's archive for verify.
 * @param base its base address, with or without a slash at the end
 */
export function serviceSource(base: string, options: { timeoutMs?: number } = {}): Source {
  return new ServiceSource(base.replace(/\/+$/, ''), options.timeoutMs ?? TIMEOUT_MS)
}

class ServiceSource implements Source {
  readonly place: string
  readonly holdsDerived = false
  readonly #timeoutMs: number
  readonly #listed = new Map<string, ServedDay>()
  #failures = 0

  constructor(base: string, timeoutMs: number) {
    this.place = base
    this.#timeoutMs = timeoutMs
  }

  /** The service lists the newest day first. */
  async list(): Promise<Listing> {
    const findings: Finding[] = []
    // Before the list, which then has it: a day may be published meanwhile.
    const latest = await this.#get(LATEST_URL, MAX_PAGE_BYTES)
    let before: string | null = null
    let pages = 0
    do before = await this.#listPage(before, findings)
    while (before !== null && ++pages < MAX_PAGES)
    if (before !== null)
      findings.push(finding('invalid_index', INDEX_JSON_URL, `has more than ${MAX_PAGES} pages`))
    this.#keepLatest(latest, findings)
    return { days: [...this.#listed.keys()].reverse(), findings, selection: WHOLE }
  }

  #keepLatest(latest: SourceFile, findings: Finding[]): void {
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
    if (name === snapshotName(day)) return snapshotUrl(day)
    return name === manifestName(day) ? manifestUrl(day) : mediaUrl(day, name)
  }

  read(day: string, name: string, limit: number): Promise<SourceFile> {
    return this.#get(this.nameOf(day, name), limit)
  }

  readRoot(name: string, limit: number): Promise<SourceFile> {
    return this.#get(this.rootName(name), limit)
  }

  rootName(name: string): string {
    return `${ARCHIVE_URL}/${name}`
  }

  /** Holds what the two indexes say of the day against its manifest. */
  async checkBeside(day: string, manifest: Manifest): Promise<Finding[]> {
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

  /** @returns where the next page begins; null after the last */
  async #listPage(before: string | null, findings: Finding[]): Promise<string | null> {
    const path = `${INDEX_JSON_URL}?limit=${MAX_PAGE}${before ? `&before=${before}` : ''}`
    const answer = await this.#get(path, MAX_PAGE_BYTES)
    if ('problem' in answer && before === null)
      throw new ArchiveError('archive_unavailable', `${this.place}: ${answer.problem.message}`)
    const page = 'problem' in answer ? answer : readPage(answer.bytes, before)
    if ('problem' in page) {
      findings.push({ ...page.problem, file: path })
      return null
    }
    for (const item of page.items) this.#listed.set(item.day, { item, row: null, latest: null })
    const days = page.items.map((item) => item.day)
    await this.#listRows(days, before, findings)
    return page.next
  }

  /** The same days as CSV, asked for by the newest, so that a day published meanwhile shifts nothing. */
  async #listRows(days: string[], before: string | null, findings: Finding[]): Promise<void> {
    const cursor = before ?? (days[0] && nextDay(days[0]))
    const path = `${INDEX_CSV_URL}?limit=${MAX_PAGE}${cursor ? `&before=${cursor}` : ''}`
    const answer = await this.#get(path, MAX_PAGE_BYTES)
    if ('problem' in answer) {
      findings.push({ ...answer.problem, file: path })
      return
    }
    const [header, ...rows] = new TextDecoder().decode(answer.bytes).split(/(?<=\r\n)/)
    if (header !== CSV_HEADER || rows.length !== days.length) {
      findings.push(finding('index_differs', path, `is not a header and ${days.length} rows`))
      return
    }
    for (const [index, day] of days.entries()) {
      const listed = this.#listed.get(day)
      if (listed) listed.row = rows[index] ?? null
    }
  }

  async #get(path: string, limit: number): Promise<SourceFile> {
    if (this.#failures >= MAX_FAILURES)
      return problem('unreachable', 'not asked for, since the service no longer answers')
    try {
      return await fetchBounded(this.place + path, limit, this.#timeoutMs)
    } catch (error) {
      this.#failures += 1
      return problem('unreachable', reasonOf(error, this.#timeoutMs))
    }
  }
}

async function fetchBounded(url: string, limit: number, timeoutMs: number): Promise<SourceFile> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { 'accept-encoding': 'identity' },
    signal: AbortSignal.timeout(timeoutMs),
  })
  if (response.status !== 200) {
    await response.body?.cancel()
    const code = response.status === 404 ? 'missing' : 'http_status'
    return problem(code, `the service answers ${response.status}`)
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > limit) return problem('too_large', `is longer than ${limit} bytes`)
    chunks.push(chunk)
  }
  const contentType = response.headers.get('content-type')?.split(';')[0]?.trim() ?? ''
  return { bytes: await new Blob(chunks as BlobPart[]).bytes(), contentType }
}

function reasonOf(error: unknown, timeoutMs: number): string {
  const { name, message, cause } = error as Error
  if (name === 'TimeoutError') return `no whole answer within ${timeoutMs / 1000} s`
  const code = (cause as NodeJS.ErrnoException | undefined)?.code
  // OpenSSL's own message has several lines, and no word for people.
  if (code?.startsWith('ERR_SSL_')) return `no TLS connection (${code}); is it http:// ?`
  const reason = cause instanceof Error ? cause.message || code : null
  return `no answer (${reason || message})`
}

/** The day of a snapshot's bytes; null when they are none. */
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
