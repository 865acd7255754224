// The answers with media files: whole, one range, or 304 (API.md 9.5).
import { KINDS } from '../../archive/format/paths.ts'
import type { OpenMedium } from '../../archive/reader.ts'
import { type Answer, answerTagged, contentHeaders, textHeaders } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Problem } from '../wire/problem.ts'
import { type ByteRange, ifRangeHolds, readRange } from './range.ts'

/** How long a file is taken to be where it was found; a switch of the operator has a second to take effect (API.md 8.3). */
const REMEMBERED_MS = 500

/** What no request changes of the answers with a file. */
interface Medium extends Pick<OpenMedium, 'name' | 'path' | 'bytes' | 'open' | 'address'> {
  /** Quoted. */
  etag: string
  /** Names and values by turns, but for the ETag. */
  headers: readonly string[]
}

/** Answers with media files, and remembers for a moment which were found. */
export class Media {
  readonly #find: (call: Call) => Promise<OpenMedium>
  readonly #onBroken: (name: string, error: unknown) => void
  readonly #recent = new Map<string, Medium>()

  /**
   * @param find looks a file up; rejects where reads are not admitted or there is no such file
   * @param onBroken called when a file ends early or cannot be read although the answer has begun
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
    return known ? this.#answerWith(call, known) : this.#look(call)
  }

  async #look(call: Call): Promise<Answer> {
    const medium = mediumOf(await this.#find(call))
    if (this.#recent.size === 0) setTimeout(() => this.#recent.clear(), REMEMBERED_MS).unref()
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

  /** What is not on this machine is opened before the answer begins, which can then still be an error. */
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

function mediumOf({ kind, sha256, name, path, bytes, open, address }: OpenMedium): Medium {
  const digest = Buffer.from(sha256, 'hex').toString('base64')
  return {
    name,
    path,
    bytes,
    open,
    address,
    etag: `"${sha256}"`,
    headers: [
      ...contentHeaders(KINDS[kind].contentType, KINDS[kind].cache),
      'Accept-Ranges',
      'bytes',
      'Repr-Digest',
      `sha-256=:${digest}:`,
    ],
  }
}

/** A page may load media from its own origin only; browsers say so of each request (Fetch Metadata). */
function isFromPage(call: Call): boolean {
  return call.header('sec-fetch-dest') !== undefined || call.header('sec-fetch-site') !== undefined
}

/** The address is valid for minutes only, so the answer is not stored. */
function redirectTo(address: string): Answer {
  const headers = [...textHeaders('text', 'no-store'), 'Location', address]
  return { status: 302, headers, body: '' }
}

/** Range has a meaning for GET only (RFC 9110 section 14.2). @throws Problem range_not_satisfiable */
function rangeOf(call: Call, bytes: number, etag: string) {
  if (call.method !== 'GET' || !ifRangeHolds(call.header('if-range'), etag)) return null
  const range = readRange(call.header('range'), bytes)
  if (range === 'unsatisfiable')
    throw new Problem('range_not_satisfiable', `Range: the file has ${bytes} bytes`, {
      'content-range': `bytes */${bytes}`,
    })
  return range
}
