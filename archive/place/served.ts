// The places behind an HTTP server, which can only be read: a running service, and an archive's folder on a plain file
// server (FORMAT.md 19.3).
import { ArchiveError, type BadFile, badFile } from '../base/errors.ts'
import { boundOf, MAX_JSON_BYTES } from '../format/bounds.ts'
import { LOG_FILE, urlOf } from '../format/paths.ts'
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
import { type IndexPage, MAX_PAGES, readIndexPage } from './service-index.ts'

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

  /** The days of `index.json`, page by page. */
  async folders(): Promise<readonly string[]> {
    const days: string[] = []
    let before: string | null = null
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page: IndexPage | BadFile = await readIndexPage(this, before)
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
