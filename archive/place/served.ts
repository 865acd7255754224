// The places behind an HTTP server, which can only be read: a running service, and an archive's folder on a plain file
// server (FORMAT.md 19.3).
import { ArchiveError, type BadFile, badFile } from '../base/errors.ts'
import { jsonOrNull } from '../base/json.ts'
import { boundOf, MAX_JSON_BYTES } from '../format/bounds.ts'
import { type AnyDay, anyPageSchema, MAX_PAGE } from '../format/listing.ts'
import { INDEX_JSON_URL, LOG_FILE, urlOf } from '../format/paths.ts'
import { bytesOf, partOf, streamOf } from '../http/body.ts'
import { type Client, statusFailure } from '../http/client.ts'
import type { FetchedAnswer } from '../http/exchange.ts'
import { FetchFailure } from '../http/failure.ts'
import { parseLog } from '../log/days.ts'
import {
  errorOf,
  type FileState,
  type Opened,
  type Place,
  type ReadFile,
  readExisting,
} from './place.ts'

/** A file that was not fetched. */
export interface Unfetched {
  problem: FetchFailure
}

/** @throws FetchFailure, if it was not fetched */
export function fetched(file: ReadFile | Unfetched): ReadFile {
  if ('problem' in file) throw file.problem
  return file
}

export const isService = (place: Place): place is ServicePlace => place instanceof ServicePlace

/** A place behind a server, whose files can be fetched in the caller's own way, too. */
export abstract class ServedPlace implements Place {
  readonly name: string
  readonly #client: Client

  /** @param base its address, without a trailing slash */
  constructor(base: string, client: Client) {
    this.name = base
    this.#client = client
  }

  abstract nameOf(key: string): string
  abstract folders(): Promise<readonly string[]>

  pathOf(): null {
    return null
  }

  async addressOf(key: string): Promise<string> {
    return this.name + this.nameOf(key)
  }

  /**
   * Requests a file until `take` accepts an answer of status 200 or 206, or 304 to a condition.
   * @param headers called before each request
   * @throws FetchFailure
   */
  fetch<T>(
    key: string,
    headers: () => Record<string, string>,
    take: (answer: FetchedAnswer) => Promise<T>,
  ): Promise<T> {
    return this.#client.get(this.name + this.nameOf(key), headers, take)
  }

  read(key: string, bound = boundOf(key)): Promise<ReadFile | Unfetched> {
    return this.readAt(this.nameOf(key), bound)
  }

  /** Reads a whole file. @param path below the base address */
  protected readAt(path: string, bound: number): Promise<ReadFile | Unfetched> {
    const reading = this.#client.get(this.name + path, NO_HEADERS, async (answer) => {
      if (answer.status !== 200) throw statusFailure(answer)
      const content = await bytesOf(answer, bound + 1)
      if (content.length > bound)
        throw new FetchFailure('too_large', `is longer than ${bound} bytes`, { isTransient: false })
      return { content, version: versionOf(answer), ...this.stated(answer) }
    })
    return reading.catch(unfetched)
  }

  async stat(key: string): Promise<FileState | null> {
    const request = { method: 'HEAD', url: this.name + this.nameOf(key) } as const
    const asking = this.#client.retrying(request.url, async () => {
      const answer = await this.#client.send(request)
      answer.close()
      if (answer.status !== 200) throw statusFailure(answer)
      const length = answer.header('content-length')
      return length === null ? null : { bytes: Number(length), version: versionOf(answer) }
    })
    const state = await asking.catch(unfetched)
    if (state && !('problem' in state)) return state
    // A server that compresses, or composes its answers, does not state the length.
    const file = state ?? (await this.read(key))
    if (!('problem' in file)) return { bytes: file.content.length, version: file.version }
    if (file.problem.code === 'missing') return null
    throw errorOf(this, key, file, 'archive_unavailable')
  }

  async open(key: string, start: number, end: number): Promise<Opened> {
    if (end < start)
      return (await this.stat(key)) ? new Blob([]).stream() : badFile('missing', 'is missing')
    const url = this.name + this.nameOf(key)
    const headers = { range: `bytes=${start}-${end}` }
    const opening = this.#client.retrying(url, async () => {
      const answer = await this.#client.send({ url, headers })
      if (answer.status === 206) return streamOf(answer)
      if (answer.status === 200) {
        const chunks = partOf(answer, start, end)
        return streamOf({ chunks, close: answer.close })
      }
      answer.close()
      throw statusFailure(answer)
    })
    return opening.catch(unfetched)
  }

  /** What else the server states about a file. */
  protected stated(_answer: FetchedAnswer): Pick<ReadFile, 'contentType'> {
    return {}
  }
}

/** A running service, which composes some of its files and states what its days contain. */
export class ServicePlace extends ServedPlace {
  nameOf(key: string): string {
    return urlOf(key)
  }

  /** Reads a list in which a service states what its days contain (API.md 9.2). @param url as in paths.ts */
  readList(url: string): Promise<ReadFile | Unfetched> {
    return this.readAt(url, MAX_JSON_BYTES)
  }

  /**
   * Reads a page of `index.json`, in which a service lists its days (API.md 9.2).
   * @param before its cursor; null for the first
   * @returns `invalid_index` if it breaks a rule
   */
  async readIndexPage(before: string | null): Promise<IndexPage | BadFile> {
    const file = await this.readList(indexUrl(before))
    return 'problem' in file ? file : parsePage(file.content, before)
  }

  /** The days of `index.json`, page by page. */
  async folders(): Promise<readonly string[]> {
    const days: string[] = []
    let before: string | null = null
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page: IndexPage | BadFile = await this.readIndexPage(before)
      if ('problem' in page)
        throw new ArchiveError('archive_unavailable', `${this.name}: ${page.problem.message}`)
      days.push(...page.items.map(({ day }) => day))
      if (page.next === null) break
      before = page.next
    }
    return days.reverse()
  }

  protected override stated({ header }: FetchedAnswer): Pick<ReadFile, 'contentType'> {
    return { contentType: header('content-type')?.split(';')[0]?.trim() ?? '' }
  }
}

/** An archive's folder on a plain file server, which lists nothing. */
export class FileServerPlace extends ServedPlace {
  nameOf(key: string): string {
    return `/${key}`
  }

  /** The days of the log; none if there is no log. @throws ArchiveError `invalid_log` */
  async folders(): Promise<readonly string[]> {
    const log = await readExisting(this, LOG_FILE, 'invalid_log')
    return log ? [...new Set(parseLog(log.content).map(({ day }) => day))].sort() : []
  }
}

const NO_HEADERS = () => ({})

/** @throws any other error */
function unfetched(error: unknown): Unfetched {
  if (error instanceof FetchFailure) return { problem: error }
  throw error
}

/** The ETag, or what else changes with the content. */
function versionOf({ header }: FetchedAnswer): string {
  return header('etag') ?? `${header('last-modified')} ${header('content-length')}`
}

/** Two centuries of days, which is more than the format can name (FORMAT.md 2.6). */
export const MAX_PAGES = 730

/** A page of the list. */
interface IndexPage {
  /** Newest first. */
  items: AnyDay[]
  /** The cursor of the next page; null after the last. */
  next: string | null
}

/** The URL of a page. */
export function indexUrl(before: string | null): string {
  return `${INDEX_JSON_URL}?limit=${MAX_PAGE}${before ? `&before=${before}` : ''}`
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
