// The messages from the decoder's worker to its page.
import type { Decoding } from '../../../protocol/index.ts'

export type Report =
  /** All modules are loaded; files may come. */
  | { kind: 'ready' }
  /** How much of the file has been read, 0 to 1. */
  | { kind: 'progress'; fraction: number }
  | { kind: 'decoded'; decoding: Decoding }
  /** The file itself could not be read. */
  | { kind: 'failed'; message: string }
