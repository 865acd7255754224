// An S3-compatible object store as a place. Every answer may be lost after its request took effect, so a conditional
// write that is refused is settled by reading what is there.
import { ArchiveError } from '../errors.ts'
import { boundOf } from '../format/bounds.ts'
import { contentTypeOf, PROBE_KEY } from '../format/paths.ts'
import { nameOfStore, type StoreLocation } from './location.ts'
import { type FileState, type ListedFile, type Place, type ReadFile, ROOT } from './place.ts'
import { type Persistence, S3Client, type StoreAnswer } from './s3-client.ts'
import { type ListPage, parseListPage } from './s3-listing.ts'

/** A place that is in an object store. */
export interface StorePlace extends Place {
  /**
   * Shows by trying that the store takes a conditional write as one.
   * @throws ArchiveError `archive_unwritable` when it does not
   */
  probe(): Promise<void>
}

/** A run tries for some seconds; see `Persistence`. */
const PATIENT = { tries: 5, timeoutMs: 30_000 }

/** @param persistence how often and how long to try; the random numbers are the caller's */
export async function storePlace(
  location: StoreLocation,
  persistence: Pick<Persistence, 'random'> & Partial<Persistence>,
): Promise<StorePlace> {
  const name = nameOfStore(location)
  const { access, bucket, prefix } = location
  const client = await S3Client.open(access, bucket, name, { ...PATIENT, ...persistence })
  return new Store(name, prefix === '' ? '' : `${prefix}/`, client, persistence.random)
}

const UNFIT = 'so that two runs could overwrite each other: it cannot hold an archive'

/** How a store wants the ETag in If-Match. AWS takes it quoted, Ceph bare. */
const FORMS = [(etag: string) => etag, (etag: string) => etag.replaceAll('"', '')]

class Store implements StorePlace {
  readonly name: string
  readonly #prefix: string
  readonly #client: S3Client
  readonly #random: () => number

  constructor(name: string, prefix: string, client: S3Client, random: () => number) {
    this.name = name
    this.#prefix = prefix
    this.#client = client
    this.#random = random
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
    const answer = await this.#client.send(request)
    if (answer.status === 404) return null
    if (answer.status !== 200) throw this.#client.unexpected(request, answer)
    return { bytes: Number(answer.headers.get('content-length')), version: etagOf(answer) }
  }

  async get(key: string): Promise<ReadFile | null> {
    const limit = boundOf(key) + 1
    const request = { method: 'GET', key: this.#prefix + key, limit } as const
    const answer = await this.#client.send(request)
    if (isMissing(answer)) return null
    if (answer.status !== 200) throw this.#client.unexpected(request, answer)
    return { content: answer.body, version: etagOf(answer) }
  }

  async open(key: string, start: number, end: number): Promise<ReadableStream<Uint8Array> | null> {
    if (end < start) return (await this.stat(key)) && new Blob([]).stream()
    const headers = { range: `bytes=${start}-${end}` }
    const request = { method: 'GET', key: this.#prefix + key, headers } as const
    const { status, body } = await this.#client.stream(request)
    if (status === 206) return body
    await body.cancel()
    if (status === 404) return null
    throw this.#client.unexpected(request, { status, body: new Uint8Array() })
  }

  async put(key: string, content: Uint8Array): Promise<void> {
    const answer = await this.#put(key, content, {})
    if (answer.status !== 200) throw this.#unwritable(key, answer)
  }

  async putIfAbsent(key: string, content: Uint8Array): Promise<string | null> {
    const answer = await this.#put(key, content, { 'if-none-match': '*' })
    if (answer.status === 200) return etagOf(answer)
    if (answer.status !== 412 && answer.status !== 409) throw this.#unwritable(key, answer)
    const present = await this.get(key)
    return present && isSame(present, content) ? present.version : null
  }

  async replace(key: string, content: Uint8Array, version: string | null): Promise<string | null> {
    if (version === null) return this.putIfAbsent(key, content)
    for (const form of FORMS) {
      const answer = await this.#put(key, content, { 'if-match': form(version) })
      if (answer.status === 200) return etagOf(answer)
      if (![404, 409, 412].includes(answer.status)) throw this.#unwritable(key, answer)
      const present = await this.get(key)
      if (present && isSame(present, content)) return present.version
      // As it was read, and refused: this store wants the other form.
      if (present?.version !== version) return null
    }
    throw new ArchiveError(
      'storage_failed',
      `${this.name}: ${key}: the store refuses every If-Match`,
    )
  }

  async remove(key: string): Promise<void> {
    const request = { method: 'DELETE', key: this.#prefix + key } as const
    const answer = await this.#client.send(request)
    if (![200, 204, 404].includes(answer.status)) throw this.#client.unexpected(request, answer)
  }

  async probe(): Promise<void> {
    // It stays: of several runs that probe at once, none finds the key free that another has just removed.
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

  #put(key: string, body: Uint8Array, condition: Record<string, string>): Promise<StoreAnswer> {
    const headers = { 'content-type': contentTypeOf(key), ...condition }
    return this.#client.send({ method: 'PUT', key: this.#prefix + key, headers, body })
  }

  #unwritable(key: string, answer: StoreAnswer): ArchiveError {
    const { message } = this.#client.unexpected({ method: 'PUT', key }, answer)
    if (answer.status === 501)
      return new ArchiveError(
        'archive_unwritable',
        `${this.name}: the store has no conditional PUT (501), ${UNFIT}`,
      )
    if (answer.status === 403) return new ArchiveError('archive_unwritable', message)
    return new ArchiveError('storage_failed', message)
  }

  async *#pages(query: { prefix: string; delimiter?: string }): AsyncGenerator<ListPage> {
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
      const answer = await this.#client.send(request)
      if (answer.status !== 200) throw this.#client.unexpected(request, answer)
      const page = parseListPage(Buffer.from(answer.body).toString())
      yield page
      next = page.next
    } while (next !== null)
  }
}

function isSame({ content }: ReadFile, other: Uint8Array): boolean {
  return Buffer.compare(content, other) === 0
}

function etagOf({ headers }: StoreAnswer): string {
  return headers.get('etag') ?? ''
}

/** Of a whole bucket that is missing, nothing can be said. */
function isMissing({ status, body }: StoreAnswer): boolean {
  return status === 404 && !Buffer.from(body).includes('NoSuchBucket')
}
