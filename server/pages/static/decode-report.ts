// What the decoder's worker says to its page.
import type { Transmission } from './decode-results.ts'

export type Report =
  /** All modules are loaded; files may come. */
  | { kind: 'ready' }
  /** How much of the file has been read, 0 to 1. */
  | { kind: 'progress'; fraction: number }
  | { kind: 'decoded'; decoding: Decoding }
  /** The file itself could not be read. */
  | { kind: 'failed'; message: string }

/** What a recording holds, or why nothing. */
export interface Decoding {
  transmissions: Transmission[]
  error: { code: string; message: string } | null
}
