// Sends a part of a file, as fast as the client reads.
import { createReadStream } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { FileRange } from './file-range.ts'

/** Cuts the connection where the file has fewer bytes than were promised: the client would wait for the rest. */
export function sendFile(response: ServerResponse, range: FileRange): void {
  const { path, start, length, onBroken } = range
  const file = createReadStream(path, { start, end: start + length - 1 })
  pipeline(file, response, (error) => {
    const missing = length - file.bytesRead
    const isAbandoned = error?.code === 'ERR_STREAM_PREMATURE_CLOSE' && response.destroyed
    if (error && !isAbandoned) onBroken(error)
    else if (!error && missing !== 0) onBroken(new Error(`the file ended ${missing} bytes early`))
    if (missing !== 0) response.destroy()
  })
}
