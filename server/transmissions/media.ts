// Responds with media files: in full, one range, a redirect, or 304 (API.md 9.5, 9.13).
import { MEDIA } from '../../archive/format/media.ts'
import type { OpenMedium } from '../../archive/reading/reader.ts'
import { type Answer, answerTagged, contentHeaders, textHeaders } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import type { Handler } from '../http/mount.ts'
import { Problem } from '../wire/problem.ts'
import { guard } from './lookup.ts'
import { type ByteRange, ifRangeHolds, isPastDay, readRange } from './rules.ts'
import type { TransmissionDeps } from './views.ts'

/** The parts of a response that are the same for every request of a file. */
interface Medium extends OpenMedium {
  /** Quoted. */
  etag: string
  /** Alternating names and values, without the ETag. */
  headers: readonly string[]
}

/** What one of them takes in memory, generously [bytes]. */
const MEDIUM_BYTES = 2_048

/** Returns the handler of media files, whose lookups are kept as pages are: a player asks for many ranges of a file. */
export function mediaHandler(deps: TransmissionDeps): Handler {
  return (call) => {
    const find = () => lookUp(deps, call)
    const medium = deps.kept.find(call.pathname, find, () => MEDIUM_BYTES)
    return medium instanceof Promise
      ? medium.then((found) => answerWith(call, found))
      : answerWith(call, medium)
  }
}

/** @throws Problem archive_unavailable, media_not_found */
async function lookUp(deps: TransmissionDeps, { params }: Call): Promise<Medium> {
  const { day = '', filename = '' } = params
  const found = await guard(deps, async () =>
    isPastDay(day, deps.clock.now()) ? deps.archive.openMedia(day, filename) : null,
  )
  if (!found) throw new Problem('media_not_found', 'the archive has no such file')
  const digest = Buffer.from(found.sha256, 'hex').toString('base64')
  return {
    ...found,
    open: (...range) => guard(deps, () => found.open(...range)),
    address: () => (deps.mediaRedirect ? found.address() : null),
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

/** @throws Problem precondition_failed, range_not_satisfiable */
function answerWith(call: Call, medium: Medium): Answer | Promise<Answer> {
  const { bytes, etag, headers } = medium
  const answer = answerTagged(call, headers, etag, null)
  if (answer.status === 304) return answer
  const elsewhere = call.method === 'GET' && !isFromPage(call) ? medium.address() : null
  if (elsewhere) {
    // The URL expires within minutes, so the redirect must not be cached.
    const redirect = [...textHeaders('text', 'no-store'), 'Location']
    return elsewhere.then((url) => ({ status: 302, headers: [...redirect, url], body: '' }))
  }
  const range = rangeOf(call, bytes, etag)
  if (range === null) return withBytes(call, answer, medium, { start: 0, end: bytes - 1 })
  const { start, end } = range
  const partial = {
    status: 206,
    headers: [...answer.headers, 'Content-Range', `bytes ${start}-${end}/${bytes}`],
    body: null,
  }
  return withBytes(call, partial, medium, range)
}

/** A remote file is opened before the response begins, so that a failure can still become an error response. */
function withBytes(
  call: Call,
  answer: Answer,
  { path, open }: Medium,
  { start, end }: ByteRange,
): Answer | Promise<Answer> {
  const length = end - start + 1
  if (path !== null) return { ...answer, body: { path, start, length } }
  if (call.method === 'HEAD') return { ...answer, body: { stream: new Blob([]).stream(), length } }
  return open(start, end).then((stream) => ({ ...answer, body: { stream, length } }))
}

/** Whether a browser sent the request (Fetch Metadata). Our pages may load media only from their own origin. */
function isFromPage(call: Call): boolean {
  return call.header('sec-fetch-dest') !== undefined || call.header('sec-fetch-site') !== undefined
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
