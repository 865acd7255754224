// The answer with a medium's bytes: whole or one range, streamed from its file (API.md 9.5).
import { ReadableStream as NodeStream } from 'node:stream/web'
import { KINDS } from '../../archive/format/paths.ts'
import type { OpenMedium } from '../../archive/reader.ts'
import { type Answer, CACHE_CONTROL, matchesEtag } from '../http/answer.ts'
import { Problem } from '../wire/problem.ts'
import { ifRangeHolds, readRange } from './range.ts'

/**
 * @param onBroken told when the file ends early or cannot be read although the answer has begun; the connection is then cut
 * @throws Problem range_not_satisfiable
 */
export function answerMedium(
  request: Request,
  medium: OpenMedium,
  onBroken: (error: unknown) => void,
): Answer {
  const headers = headersOf(medium)
  const etag = headers.etag as string
  if (matchesEtag(request.headers.get('if-none-match'), etag))
    return { status: 304, headers, body: null }
  const range = rangeOf(request, medium, etag)
  const { start, end } = range ?? { start: 0, end: medium.bytes - 1 }
  const length = end - start + 1
  headers['content-length'] = String(length)
  if (range) headers['content-range'] = `bytes ${start}-${end}/${medium.bytes}`
  const pieces = exactly(length, () => medium.stream(start, end), onBroken)
  return { status: range ? 206 : 200, headers, body: NodeStream.from(pieces) as Answer['body'] }
}

function headersOf({ kind, sha256 }: OpenMedium): Record<string, string> {
  return {
    'content-type': KINDS[kind].contentType,
    'cache-control': CACHE_CONTROL[KINDS[kind].cache],
    etag: `"${sha256}"`,
    'accept-ranges': 'bytes',
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  }
}

/** Range has a meaning for GET only (RFC 9110 section 14.2). */
function rangeOf({ method, headers }: Request, { bytes }: OpenMedium, etag: string) {
  if (method !== 'GET' || !ifRangeHolds(headers.get('if-range'), etag)) return null
  const range = readRange(headers.get('range'), bytes)
  if (range === 'unsatisfiable')
    throw new Problem('range_not_satisfiable', `Range: the file has ${bytes} bytes`, {
      'content-range': `bytes */${bytes}`,
    })
  return range
}

/**
 * Opens the file when its first bytes are asked for, and fails where it has fewer than the Content-Length has promised:
 * the client would otherwise wait for the rest.
 */
async function* exactly(
  length: number,
  open: () => ReadableStream<Uint8Array>,
  onBroken: (error: unknown) => void,
): AsyncGenerator<Uint8Array> {
  let left = length
  try {
    for await (const piece of open()) {
      left -= piece.length
      yield piece
    }
    if (left !== 0) throw new Error(`the file ended ${left} bytes early`)
  } catch (error) {
    onBroken(error)
    throw error
  }
}
