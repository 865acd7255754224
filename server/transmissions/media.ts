// The answers with media files: whole, one range, or 304 (API.md 9.5).
import { KINDS } from '../../archive/format/paths.ts'
import type { OpenMedium } from '../../archive/reader.ts'
import { type Answer, answerTagged, contentHeaders } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Problem } from '../wire/problem.ts'
import { ifRangeHolds, readRange } from './range.ts'

/** How long a file is taken to be where it was found; a switch of the operator has a second to take effect (API.md 8.3). */
const REMEMBERED_MS = 500

/** What no request changes of the answers with a file. */
interface Medium {
  path: string
  bytes: number
  /** Quoted. */
  etag: string
  /** Names and values by turns, but for the ETag. */
  headers: readonly string[]
}

/** Answers with media files, and remembers for a moment which were found. */
export class Media {
  readonly #find: (call: Call) => Promise<OpenMedium>
  readonly #onBroken: (path: string, error: unknown) => void
  readonly #recent = new Map<string, Medium>()

  /**
   * @param find looks a file up; rejects where reads are not admitted or there is no such file
   * @param onBroken called when a file ends early or cannot be read although the answer has begun
   */
  constructor(
    find: (call: Call) => Promise<OpenMedium>,
    onBroken: (path: string, error: unknown) => void,
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

  #answerWith(call: Call, medium: Medium): Answer {
    const { path, bytes, etag } = medium
    const onBroken = (error: unknown) => this.#onBroken(path, error)
    const whole = { path, start: 0, length: bytes, onBroken }
    const answer = answerTagged(call, medium.headers, etag, whole)
    if (answer.status === 304) return answer
    const range = rangeOf(call, bytes, etag)
    if (range === null) return answer
    const { start, end } = range
    return {
      status: 206,
      headers: [...answer.headers, 'Content-Range', `bytes ${start}-${end}/${bytes}`],
      body: { ...whole, start, length: end - start + 1 },
    }
  }
}

function mediumOf({ kind, sha256, path, bytes }: OpenMedium): Medium {
  const digest = Buffer.from(sha256, 'hex').toString('base64')
  return {
    path,
    bytes,
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
