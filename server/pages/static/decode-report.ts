// The messages between the decoder's page and its worker.
import type { Decoding } from '../../../protocol/index.ts'

/** What the page asks for. */
export type Task = { kind: 'decode'; file: File } | { kind: 'example' }

export type Report =
  /** All modules are loaded; files may come. */
  | { kind: 'ready' }
  /** How much of the file has been read, 0 to 1, and the levels of what was new (decode-levels.ts). */
  | { kind: 'progress'; fraction: number; levels: Uint8Array }
  | { kind: 'decoded'; decoding: Decoding }
  /** The file itself could not be read. */
  | { kind: 'failed'; message: string }
  /** The bytes of a WAV file. */
  | { kind: 'example'; bytes: Uint8Array<ArrayBuffer> }
