// A part of a file as an answer's body.

/** Bytes of a file, sent as fast as the client reads them. */
export interface FileRange {
  path: string
  /** First byte. */
  start: number
  /** Bytes to send. */
  length: number
  /** Called when the file ends early or cannot be read although the answer has begun; the connection is then cut. */
  onBroken(error: unknown): void
}
