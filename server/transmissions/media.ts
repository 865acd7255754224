// Responds with media files: in full, one range, a redirect, or 304 (API.md 9.5, 9.13).
import { MEDIA } from '../../archive/format/media.ts'
import type { OpenMedium } from '../../archive/reading/reader.ts'
import { type Answer, answerTagged, contentHeaders, textHeaders } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Problem } from '../wire/problem.ts'
import { type ByteRange, ifRangeHolds, readRange } from './range.ts'

/** How long a lookup is cached [ms]. An operator's switch must take effect within a second (API.md 8.3). */
const LOOKUP_CACHE_MS = 500

/** The parts of a response that are the same for every request of a file. */
interface Medium extends OpenMedium {
  /** Quoted. */
  etag: string
  /** Alternating names and values, without the ETag. */
  headers: readonly string[]
}

/** Responds with media files and caches their lookups briefly. */
export class Media {
  readonly #find: (call: Call) => Promise<OpenMedium>
  readonly #onBroken: (name: string, error: unknown) => void
  readonly #recent = new Map<string, Medium>()

  /**
   * @param find looks up a file; rejects if reads are not admitted or there is no such file
   * @param onBroken called if a file ends early or cannot be read after the response has begun
   */
  constructor(
    find: (call: Call) => Promise<OpenMedium>,
    onBroken: (name: string, error: unknown) => void,
  ) {
    this.#find = find
    this.#onBroken = onBroken
  }

  /** @throws Problem precondition_failed, range_not_satisfiable, and what `find` rejects with */
  answer(call: Call): Answer | Promise<Answer> {
    const known = this.#recent.get(call.pathname)
    return known ? this.#answerWith(call, known) : this.#lookUp(call)
  }

  async #lookUp(call: Call): Promise<Answer> {
    const medium = mediumOf(await this.#find(call))
    if (this.#recent.size === 0) setTimeout(() => this.#recent.clear(), LOOKUP_CACHE_MS).unref()
    this.#recent.set(call.pathname, medium)
    return this.#answerWith(call, medium)
  }

  #answerWith(call: Call, medium: Medium): Answer | Promise<Answer> {
    const { bytes, etag, headers } = medium
    const answer = answerTagged(call, headers, etag, null)
    if (answer.status === 304) return answer
    const elsewhere = call.method === 'GET' && !isFromPage(call) ? medium.address() : null
    if (elsewhere) return elsewhere.then(redirectTo)
    const range = rangeOf(call, bytes, etag)
    if (range === null) return this.#withBytes(call, answer, medium, { start: 0, end: bytes - 1 })
    const { start, end } = range
    const partial = {
      status: 206,
      headers: [...answer.headers, 'Content-Range', `bytes ${start}-${end}/${bytes}`],
      body: null,
    }
    return this.#withBytes(call, partial, medium, range)
  }

  /** A remote file is opened before the response begins, so that a failure can still become an error response. */
  #withBytes(
    call: Call,
    answer: Answer,
    { name, path, open }: Medium,
    { start, end }: ByteRange,
  ): Answer | Promise<Answer> {
    const length = end - start + 1
    const onBroken = (error: unknown) => this.#onBroken(name, error)
    if (path !== null) return { ...answer, body: { path, start, length, onBroken } }
    if (call.method === 'HEAD')
      return { ...answer, body: { stream: new Blob([]).stream(), length, onBroken } }
    return open(start, end).then((stream) => ({ ...answer, body: { stream, length, onBroken } }))
  }
}

function mediumOf(found: OpenMedium): Medium {
  const digest = Buffer.from(found.sha256, 'hex').toString('base64')
  return {
    ...found,
    etag: `"${found.sha256}"`,
    headers: [
      ...contentHeaders(MEDIA[found.kind].contentType, 'immutable'),
      'Accept-Ranges',
      'bytes',
      'Repr-Digest',
      `sha-256=:${digest}:`,
    ],
  }
}

/** Whether a browser sent the request (Fetch Metadata). Our pages may load media only from their own origin. */
function isFromPage(call: Call): boolean {
  return call.header('sec-fetch-dest') !== undefined || call.header('sec-fetch-site') !== undefined
}

/** The URL expires within minutes, so the redirect must not be cached. */
function redirectTo(address: string): Answer {
  const headers = [...textHeaders('text', 'no-store'), 'Location', address]
  return { status: 302, headers, body: '' }
}

/** Range is defined only for GET (RFC 9110 section 14.2). @throws Problem range_not_satisfiable */
function rangeOf(call: Call, bytes: number, etag: string) {
  if (call.method !== 'GET' || !ifRangeHolds(call.header('if-range'), etag)) return null
  const range = readRange(call.header('range'), bytes)
  if (range === 'unsatisfiable')
    throw new Problem('range_not_satisfiable', `Range: the file has ${bytes} bytes`, {
      'content-range': `bytes */${bytes}`,
    })
  return range
}
