// The answer with a medium's bytes: whole or one range of its file (API.md 9.5).
import { KINDS } from '../../archive/format/paths.ts'
import type { OpenMedium } from '../../archive/reader.ts'
import { type Answer, answerTagged, contentHeaders } from '../http/answer.ts'
import type { Call } from '../http/call.ts'
import { Problem } from '../wire/problem.ts'
import { ifRangeHolds, readRange } from './range.ts'

/**
 * @param onBroken called when the file ends early or cannot be read although the answer has begun; the connection is then cut
 * @throws Problem precondition_failed, range_not_satisfiable
 */
export function answerMedium(
  call: Call,
  medium: OpenMedium,
  onBroken: (error: unknown) => void,
): Answer {
  const { path, bytes } = medium
  const etag = `"${medium.sha256}"`
  const whole = answerTagged(call, headersOf(medium), etag, {
    path,
    start: 0,
    length: bytes,
    onBroken,
  })
  const range = whole.status === 200 ? rangeOf(call, bytes, etag) : null
  if (range === null) return whole
  const { start, end } = range
  return {
    status: 206,
    headers: [...whole.headers, 'Content-Range', `bytes ${start}-${end}/${bytes}`],
    body: { path, start, length: end - start + 1, onBroken },
  }
}

const headersOf = ({ kind, sha256 }: OpenMedium): readonly string[] => [
  ...contentHeaders(KINDS[kind].contentType, KINDS[kind].cache),
  'Accept-Ranges',
  'bytes',
  'Repr-Digest',
  `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
]

/** Range has a meaning for GET only (RFC 9110 section 14.2). */
function rangeOf(call: Call, bytes: number, etag: string) {
  if (call.method !== 'GET' || !ifRangeHolds(call.header('if-range'), etag)) return null
  const range = readRange(call.header('range'), bytes)
  if (range === 'unsatisfiable')
    throw new Problem('range_not_satisfiable', `Range: the file has ${bytes} bytes`, {
      'content-range': `bytes */${bytes}`,
    })
  return range
}
