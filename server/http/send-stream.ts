// Sends bytes that come from elsewhere, as fast as the client reads them.
import type { ServerResponse } from 'node:http'
import { writeChunk } from './write-chunk.ts'

/** Bytes from elsewhere as an answer's body. */
export interface RemoteRange {
  stream: ReadableStream<Uint8Array>
  /** Bytes to send. */
  length: number
  /** Called when the bytes end early although the answer has begun; the connection is then cut. */
  onBroken(error: unknown): void
}

/**
 * Sends the bytes as the body of an answer whose head has been written, and ends the answer.
 * @throws Error when there are fewer or more bytes than were promised
 */
export async function sendStream(
  response: ServerResponse,
  { stream, length }: RemoteRange,
): Promise<void> {
  const reader = stream.getReader()
  // Ends a read that is waiting for the store when there is nobody left to send to.
  const cancel = () => void reader.cancel().catch(() => {})
  response.once('close', cancel)
  try {
    let left = length
    while (left > 0 && !response.destroyed) {
      const { done, value } = await reader.read()
      if (response.destroyed) return
      if (done || value.length > left) throw new Error(`there are not the ${length} bytes promised`)
      left -= value.length
      await writeChunk(response, value, left === 0)
    }
    if (length === 0) response.end()
  } finally {
    response.off('close', cancel)
    cancel()
  }
}
