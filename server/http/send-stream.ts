// Sends bytes from a bucket at the client's pace.
import type { ServerResponse } from 'node:http'
import { writeChunk } from './write-chunk.ts'

/** A stream from a bucket as a response body. */
export interface RemoteRange {
  stream: ReadableStream<Uint8Array>
  /** Bytes to send. */
  length: number
  /** Called if the stream fails or does not have `length` bytes; the connection is then closed. */
  onBroken(error: unknown): void
}

/**
 * Sends a stream as the body of a response whose head has been written, and ends the response.
 * @throws Error when the stream fails or does not have `length` bytes
 */
export async function sendStream(
  response: ServerResponse,
  { stream, length }: RemoteRange,
): Promise<void> {
  const reader = stream.getReader()
  // Ends a pending read once the client has disconnected.
  const cancel = () => void reader.cancel().catch(() => {})
  response.once('close', cancel)
  try {
    let left = length
    while (left > 0 && !response.destroyed) {
      const { done, value } = await reader.read()
      if (response.destroyed) return
      if (done || value.length > left) throw new Error(`the stream does not have ${length} bytes`)
      left -= value.length
      await writeChunk(response, value, left === 0)
    }
    if (length === 0) response.end()
  } finally {
    response.off('close', cancel)
    cancel()
  }
}
