// A place in an S3-compatible object store. A request may take effect although its response is lost, so when a
// conditional write fails, the object is read to see whether an earlier try has written it.
import { ArchiveError, type BadFile, badFile, isArchiveError } from '../base/errors.ts'
import { boundOf } from '../format/bounds.ts'
import { contentTypeOf, PROBE_KEY, ROOT } from '../format/paths.ts'
import { bytesOf, streamOf } from '../http/body.ts'
import type { ClientOptions } from '../http/client.ts'
import type { FetchedAnswer } from '../http/exchange.ts'
import { FetchFailure } from '../http/failure.ts'
import { type BucketLocation, nameOfBucket } from './location.ts'
import {
  type FileState,
  hasContent,
  type ListedFile,
  type Opened,
  type ReadFile,
  readUsable,
  type WritablePlace,
} from './place.ts'
import {
  type Failed,
  loadSigner,
  parseListPage,
  resultOf,
  S3Client,
  type S3Response,
} from './s3-client.ts'

/** The pause before a second try is at most this long [ms]: stores ask for short random pauses. */
const PAUSE_MS = 100

/** Those of a run unless they state something else; `random` scales the pauses. */
export type BucketOptions = ClientOptions & { random(): number }

/** Opens a place in an object store. */
export async function bucketPlace(
  location: BucketLocation,
  options: BucketOptions,
): Promise<BucketPlace> {
  const client = new S3Client(location, await loadSigner(), { pauseMs: PAUSE_MS, ...options })
  return new BucketPlace(location, client, options.random)
}

const UNFIT = 'so two runs could overwrite each other: it cannot hold an archive'

/** The maximum number of bytes to read of an error response, which is a short XML document. */
const MAX_ERROR_BYTES = 64 * 1024

/** The forms of an ETag that stores accept in If-Match: AWS wants it quoted, Ceph bare. */
const ETAG_FORMS = [(etag: string) => etag, (etag: string) => etag.replaceAll('"', '')]

export class BucketPlace implements WritablePlace {
  readonly name: string
  readonly #prefix: string
  readonly #client: S3Client
  readonly #random: () => number

  constructor(location: BucketLocation, client: S3Client, random: () => number) {
    this.name = nameOfBucket(location)
    this.#prefix = location.prefix === '' ? '' : `${location.prefix}/`
    this.#client = client
    this.#random = random
  }

  nameOf(key: string): string {
    return key
  }

  pathOf(): null {
    return null
  }

  async folders(): Promise<readonly string[]> {
    const found: string[] = []
    for await (const page of this.#pages({ prefix: this.#prefix, delimiter: '/' }))
      found.push(...page.prefixes.map((prefix) => prefix.slice(this.#prefix.length, -1)))
    return found
  }

  async listAll(): Promise<Map<string, FileState>> {
    const found = new Map<string, FileState>()
    for await (const page of this.#pages({ prefix: this.#prefix }))
      for (const { key, bytes, etag } of page.objects)
        found.set(key.slice(this.#prefix.length), { bytes, version: etag })
    return found
  }

  async list(folder: string): Promise<ListedFile[]> {
    const prefix = folder === ROOT ? this.#prefix : `${this.#prefix}${folder}/`
    const found: ListedFile[] = []
    for await (const page of this.#pages({ prefix, delimiter: '/' }))
      for (const { key, bytes, etag, modifiedAt } of page.objects)
        found.push({ name: key.slice(prefix.length), bytes, version: etag, modifiedAt })
    return found
  }

  async stat(key: string): Promise<FileState | null> {
    const request = { method: 'HEAD', key: this.#prefix + key } as const
    const response = await this.#client.send(request)
    if (response.status === 404) {
      // A response to HEAD has no error code. That to GET shows whether the bucket is missing.
      await readUsable(this, key)
      return null
    }
    if (response.status !== 200) throw this.#client.unexpected(request, response)
    return { bytes: Number(response.header('content-length')), version: etagOf(response) }
  }

  async read(key: string, bound = boundOf(key)): Promise<ReadFile | BadFile> {
    const request = { method: 'GET', key: this.#prefix + key, limit: bound + 1 } as const
    const response = await this.#client.send(request).catch(unreachable)
    if ('problem' in response) return response
    if (response.status !== 200) return badAnswer(response)
    if (response.body.length > bound) return badFile('too_large', `is longer than ${bound} bytes`)
    return { content: response.body, version: etagOf(response) }
  }

  async open(key: string, start: number, end: number): Promise<Opened> {
    if (end < start)
      return (await this.stat(key)) ? new Blob([]).stream() : badFile('missing', 'is missing')
    const headers = { range: `bytes=${start}-${end}` }
    const request = { method: 'GET', key: this.#prefix + key, headers } as const
    const answer = await this.#client.stream(request).catch(unreachable)
    if ('problem' in answer) return answer
    if (answer.status === 206) return streamOf(answer)
    // Without its body, a 404 does not tell a missing object from a missing bucket.
    const failed = { status: answer.status, body: await errorBody(answer) }
    // No range of an empty object can be satisfied.
    if (failed.status === 416 && start === 0) return new Blob([]).stream()
    return badAnswer(failed)
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    const response = await this.#put(key, content, {})
    if (response.status !== 200) throw this.#unwritable(key, response)
  }

  async putIfAbsent(key: string, content: Uint8Array): Promise<string | null> {
    const response = await this.#put(key, content, { 'if-none-match': '*' })
    if (response.status === 200) return etagOf(response)
    if (response.status !== 412 && response.status !== 409) throw this.#unwritable(key, response)
    const present = await readUsable(this, key)
    return present && hasContent(present, content) ? present.version : null
  }

  async replace(key: string, content: Uint8Array, version: string | null): Promise<string | null> {
    if (version === null) return this.putIfAbsent(key, content)
    for (const form of ETAG_FORMS) {
      const response = await this.#put(key, content, { 'if-match': form(version) })
      if (response.status === 200) return etagOf(response)
      if (![404, 409, 412].includes(response.status)) throw this.#unwritable(key, response)
      const present = await readUsable(this, key)
      if (present && hasContent(present, content)) return present.version
      // Rejected although the object is unchanged: this store wants the other form.
      if (present?.version !== version) return null
    }
    throw new ArchiveError(
      'storage_failed',
      `${this.name}: ${key}: the store rejects every If-Match`,
    )
  }

  async remove(key: string): Promise<void> {
    const request = { method: 'DELETE', key: this.#prefix + key } as const
    const response = await this.#client.send(request)
    if (![200, 204, 404].includes(response.status)) throw this.#client.unexpected(request, response)
  }

  /** Tests that the store honours conditional writes. @throws ArchiveError `archive_unwritable` when it does not */
  async probe(): Promise<void> {
    // Never removed: a concurrent run's probe would find the key free and take the store for unfit.
    await this.putIfAbsent(PROBE_KEY, Buffer.from('probe\n'))
    const overwritten = await this.putIfAbsent(PROBE_KEY, Buffer.from(`${this.#random()}\n`))
    if (overwritten !== null)
      throw new ArchiveError(
        'archive_unwritable',
        `${this.name}: the store ignores If-None-Match on PUT, ${UNFIT}`,
      )
  }

  addressOf(key: string): Promise<string> {
    return this.#client.presign(this.#prefix + key)
  }

  #put(key: string, body: Uint8Array, condition: Record<string, string>): Promise<S3Response> {
    const headers = { 'content-type': contentTypeOf(key), ...condition }
    return this.#client.send({ method: 'PUT', key: this.#prefix + key, headers, body })
  }

  #unwritable(key: string, response: S3Response): ArchiveError {
    const { message } = this.#client.unexpected({ method: 'PUT', key }, response)
    if (response.status === 501)
      return new ArchiveError(
        'archive_unwritable',
        `${this.name}: the store has no conditional PUT (501), ${UNFIT}`,
      )
    if (response.status === 403) return new ArchiveError('archive_unwritable', message)
    return new ArchiveError('storage_failed', message)
  }

  async *#pages(query: { prefix: string; delimiter?: string }) {
    let next: string | null = null
    do {
      const request = {
        method: 'GET',
        query: {
          'list-type': '2',
          ...query,
          ...(next !== null && { 'continuation-token': next }),
        },
      } as const
      const response = await this.#client.send(request)
      if (response.status !== 200) throw this.#client.unexpected(request, response)
      const page = parseListPage(Buffer.from(response.body).toString())
      yield page
      next = page.next
    } while (next !== null)
  }
}

function etagOf({ header }: S3Response): string {
  return header('etag') ?? ''
}

/** The body of an error response; null if it cannot be read. */
async function errorBody(answer: FetchedAnswer): Promise<Uint8Array | null> {
  try {
    return await bytesOf(answer, MAX_ERROR_BYTES)
  } catch (error) {
    if (error instanceof FetchFailure) return null
    throw error
  }
}

/** A request without an answer says nothing about the file. @throws any other error */
function unreachable(error: unknown): BadFile {
  if (!isArchiveError(error, 'archive_unavailable')) throw error
  const { message } = error.cause as FetchFailure
  return badFile('unreachable', `the store cannot be reached: ${message}`)
}

/** Distinguishes a missing object from a missing bucket, which is an error. */
function badAnswer(failed: Failed): BadFile {
  const { status, body } = failed
  const isMissing = status === 404 && body !== null && !Buffer.from(body).includes('NoSuchBucket')
  return isMissing ? badFile('missing', 'is missing') : badFile('http_status', resultOf(failed))
}
