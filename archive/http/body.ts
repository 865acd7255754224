// Reads the bodies of answers, whole up to a bound or as a stream, and their ETags.
import type { FetchedAnswer } from './exchange.ts'

/** Reads a body, but no further than `limit` bytes. */
export async function bytesOf(
  { chunks }: Pick<FetchedAnswer, 'chunks'>,
  limit = Number.POSITIVE_INFINITY,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
    if (length >= limit) break
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes.subarray(0, limit)
}

/** A body as a stream that reads nothing ahead of its consumer. */
export function streamOf({
  chunks,
  close,
}: Pick<FetchedAnswer, 'chunks' | 'close'>): ReadableStream<Uint8Array> {
  const reader = chunks[Symbol.asyncIterator]()
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const { done, value } = await reader.next()
    if (done) controller.close()
    else controller.enqueue(value)
  }
  return new ReadableStream({ pull, cancel: close }, { highWaterMark: 0 })
}

/** The part of a body from `start` to `end`, both inclusive. */
export async function* partOf(
  { chunks }: Pick<FetchedAnswer, 'chunks'>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array> {
  let at = 0
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at))
    at += chunk.length
    if (wanted.length > 0) yield wanted
    if (at > end) return
  }
}

/** Strong, and short. */
const STRONG_TAG = /^"[\x21\x23-\x7e]{1,200}"$/

/** Whether the text is an ETag that may be sent back. */
export function isStrongTag(text: string): boolean {
  return STRONG_TAG.test(text)
}

/** The strong ETag of an answer; null if it has none. */
export function strongTagOf({ header }: FetchedAnswer): string | null {
  const tag = header('etag') ?? ''
  return isStrongTag(tag) ? tag : null
}
