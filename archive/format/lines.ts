// Splits the records of a day into lines of bounded length (FORMAT.md 26.1).
import { ArchiveError } from '../base/errors.ts'

const LINE_FEED = 10
const MAX_LINE_BYTES = 256 * 1024

/**
 * Yields the lines of a UTF-8 text, without their line feeds, which each of them must have.
 * @throws ArchiveError `invalid_records` if a line is too long, is not UTF-8, or is the last one and has no line feed
 */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const { buffer, byteOffset, byteLength } = chunk
    const view = Buffer.from(buffer, byteOffset, byteLength)
    const bytes = rest.length === 0 ? view : Buffer.concat([rest, view])
    let from = 0
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      if (at - from > MAX_LINE_BYTES) throw tooLong()
      yield decoded(decoder, bytes.subarray(from, at))
      from = at + 1
    }
    // Copied, since a stream may use its buffer again.
    rest = Buffer.from(bytes.subarray(from))
    if (rest.length > MAX_LINE_BYTES) throw tooLong()
  }
  if (rest.length > 0) throw invalidLine('does not end with a line feed')
}

function decoded(decoder: TextDecoder, line: Uint8Array): string {
  try {
    return decoder.decode(line)
  } catch {
    throw invalidLine('is not UTF-8')
  }
}

const tooLong = () => invalidLine(`is longer than ${MAX_LINE_BYTES} bytes`)
const invalidLine = (rule: string) => new ArchiveError('invalid_records', `a line ${rule}`)
