// Writes one chunk of a response body that is longer than a buffer.
import type { ServerResponse } from 'node:http'

/** Resolves once the chunk has been written to the socket, or the connection has closed. */
export function writeChunk(
  response: ServerResponse,
  chunk: Uint8Array,
  isLast = false,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    if (isLast) response.end(chunk, done)
    else response.write(chunk, done)
  })
}
