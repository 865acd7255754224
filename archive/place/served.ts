// The places behind an HTTP server, which can only be read: a running service, and an archive's folder on a plain file
// server (FORMAT.md 21.3).
import { ArchiveError } from '../errors.ts'
import { boundOf, MAX_JSON_BYTES } from '../format/bounds.ts'
import { LOG_FILE, urlOf } from '../format/paths.ts'
import { bytesOf, partOf, streamOf } from '../http/body.ts'
import { type Client, statusFailure } from '../http/client.ts'
import type { Answer } from '../http/exchange.ts'
import { FetchFailure } from '../http/failure.ts'
import { parseLog } from '../log/days.ts'
import type { FileState, Place, ReadFile } from './place.ts'
import { type IndexPage, MAX_PAGES, readIndexPage } from './service-index.ts'

/** A place behind a server, whose files can be fetched in the caller's own way, too. */
export interface ServedPlace extends Place {
  nameOf(key: string): string
  read(key: string): Promise<ReadFile>
  scan: NonNullable<Place['scan']>
  addressOf(key: string): Promise<string>
  /**
   * Requests a file until `take` accepts an answer of status 200 or 206, or 304 to a condition.
   * @param headers called before each request
   * @throws FetchFailure
   */
  fetch<T>(
    key: string,
    headers: () => Record<string, string>,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T>
}

export interface ServicePlace extends ServedPlace {
  readList(url: string): Promise<ReadFile>
}

/** A running service. @param base its address, without a trailing slash */
export function servicePlace(base: string, client: Client): ServicePlace {
  return new Service(base, client)
}

/** An archive's folder on a plain file server, which lists nothing. @param base as for `servicePlace` */
export function fileServerPlace(base: string, client: Client): ServedPlace {
  return new FileServer(base, client)
}

abstract class Served implements ServedPlace {
  readonly name: string
  readonly #client: Client

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

  fetch<T>(
    key: string,
    headers: () => Record<string, string>,
    take: (answer: Answer) => Promise<T>,
  ): Promise<T> {
    return this.#client.get(this.name + this.nameOf(key), headers, take)
  }

  read(key: string): Promise<ReadFile> {
    return this.readAt(this.nameOf(key), boundOf(key))
  }

  /** Reads a whole file of at most `limit` bytes. @param path below the base address @throws FetchFailure */
  protected readAt(path: string, limit: number): Promise<ReadFile> {
    return this.#client.get(this.name + path, NO_HEADERS, async (answer) => {
      const file = await this.#fileIn(answer, limit)
      if (file.content.length <= limit) return file
      throw new FetchFailure('too_large', `is longer than ${limit} bytes`, { isTransient: false })
    })
  }

  scan<T>(
    key: string,
    limit: number,
    take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    return this.fetch(key, NO_HEADERS, (answer) => {
      if (answer.status !== 200) throw statusFailure(answer)
      return take(partOf(answer, 0, limit - 1))
    })
  }

  get(key: string): Promise<ReadFile | null> {
    const take = (answer: Answer) => this.#fileIn(answer, boundOf(key))
    return this.#orNull(key, this.fetch(key, NO_HEADERS, take))
  }

  stat(key: string): Promise<FileState | null> {
    const request = { method: 'HEAD', url: this.name + this.nameOf(key) } as const
    const state = this.#client.retrying(request.url, async () => {
      const answer = await this.#client.send(request)
      answer.close()
      if (answer.status !== 200) throw statusFailure(answer)
      const length = answer.header('content-length')
      return length === null ? null : { bytes: Number(length), version: versionOf(answer) }
    })
    // A server that compresses, or composes its answers, does not state the length.
    return this.#orNull(
      key,
      state.then((known) => known ?? this.#stateByReading(key)),
    )
  }

  async open(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null> {
    if (end < start) return (await this.stat(key)) && new Blob([]).stream()
    const url = this.name + this.nameOf(key)
    const headers = { range: `bytes=${start}-${end}` }
    const opened = this.#client.retrying(url, async () => {
      const answer = await this.#client.send({ url, headers })
      if (answer.status === 206) return streamOf(answer)
      if (answer.status === 200) {
        const chunks = partOf(answer, start, end)
        return streamOf({ chunks, close: answer.close })
      }
      answer.close()
      throw statusFailure(answer)
    })
    return this.#orNull(key, opened)
  }

  async #stateByReading(key: string): Promise<FileState> {
    const { content, version } = await this.read(key)
    return { bytes: content.length, version }
  }

  /** Reads an answer, but at most one byte more than `limit`. */
  async #fileIn(answer: Answer, limit: number): Promise<ReadFile> {
    if (answer.status !== 200) throw statusFailure(answer)
    const content = await bytesOf(answer, limit + 1)
    return { content, version: versionOf(answer), ...this.stated(answer) }
  }

  /** What else the server states about a file. */
  protected stated(_answer: Answer): Pick<ReadFile, 'contentType'> {
    return {}
  }

  /** Turns a missing file into null. @throws ArchiveError `archive_unavailable` */
  async #orNull<T>(key: string, work: Promise<T>): Promise<T | null> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof FetchFailure)) throw error
      if (error.code === 'missing') return null
      const message = `${this.name}${this.nameOf(key)}: ${error.message}`
      throw new ArchiveError('archive_unavailable', message, { cause: error })
    }
  }
}

class Service extends Served implements ServicePlace {
  nameOf(key: string): string {
    return urlOf(key)
  }

  readList(url: string): Promise<ReadFile> {
    return this.readAt(url, MAX_JSON_BYTES)
  }

  /** The days of `index.json`, page by page. */
  async folders(): Promise<readonly string[]> {
    const days: string[] = []
    let before: string | null = null
    for (let pages = 0; pages < MAX_PAGES; pages++) {
      const page: IndexPage = await readIndexPage(this, before).catch((error) => {
        throw new ArchiveError('archive_unavailable', `${this.name}: ${error.message}`, {
          cause: error,
        })
      })
      days.push(...page.items.map(({ day }) => day))
      if (page.next === null) break
      before = page.next
    }
    return days.reverse()
  }

  protected override stated({ header }: Answer): Pick<ReadFile, 'contentType'> {
    return { contentType: header('content-type')?.split(';')[0]?.trim() ?? '' }
  }
}

class FileServer extends Served {
  nameOf(key: string): string {
    return `/${key}`
  }

  /** The days of the log; none if there is no log. @throws ArchiveError `invalid_log` */
  async folders(): Promise<readonly string[]> {
    const log = await this.get(LOG_FILE)
    return log ? [...new Set(parseLog(log.content).map(({ day }) => day))].sort() : []
  }
}

const NO_HEADERS = () => ({})

/** The ETag, or what else changes with the content. */
function versionOf({ header }: Answer): string {
  return header('etag') ?? `${header('last-modified')} ${header('content-length')}`
}
