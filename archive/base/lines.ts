// Splits a stream of bytes into lines of bounded length.

const LINE_FEED = 10

/** A line that breaks a rule; the message states which. */
export class InvalidLine extends Error {
  override name = 'InvalidLine'
}

/**
 * Yields the lines of a UTF-8 text, without their line feeds, which each of them must have.
 * @param max the most bytes of a line
 * @throws InvalidLine if a line is longer, is not UTF-8, or is the last one and has no line feed
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  max: number,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const { buffer, byteOffset, byteLength } = chunk
    const view = Buffer.from(buffer, byteOffset, byteLength)
    const bytes = rest.length === 0 ? view : Buffer.concat([rest, view])
    let from = 0
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, from)) {
      if (at - from > max) throw new InvalidLine(`is longer than ${max} bytes`)
      yield decoded(decoder, bytes.subarray(from, at))
      from = at + 1
    }
    // Copied, since a stream may use its buffer again.
    rest = Buffer.from(bytes.subarray(from))
    if (rest.length > max) throw new InvalidLine(`is longer than ${max} bytes`)
  }
  if (rest.length > 0) throw new InvalidLine('does not end with a line feed')
}

function decoded(decoder: TextDecoder, line: Uint8Array): string {
  try {
    return decoder.decode(line)
  } catch {
    throw new InvalidLine('is not UTF-8')
  }
}
