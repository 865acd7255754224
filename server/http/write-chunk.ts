// One piece of an answer's body that was longer than a buffer.
import type { ServerResponse } from 'node:http'

/** Resolves when the piece has left the process, or never will because the connection has closed. */
export function writeChunk(
  response: ServerResponse,
  piece: Uint8Array,
  isLast = false,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    if (isLast) response.end(piece, done)
    else response.write(piece, done)
  })
}
