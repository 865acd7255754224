// The messages between the decoder page and its worker.
import type { Decoding } from '../../../protocol/receiver/index.ts'

/** A request from the page. */
export type Task = { kind: 'decode'; file: File } | { kind: 'example' }

export type Report =
  /** All modules are loaded; the worker accepts files. */
  | { kind: 'ready' }
  /** The fraction of the file that has been read, and the new levels (decode-levels.ts). */
  | { kind: 'progress'; fraction: number; levels: Uint8Array }
  | { kind: 'decoded'; decoding: Decoding }
  /** The file itself could not be read. */
  | { kind: 'failed'; message: string }
  /** The bytes of a WAV file. */
  | { kind: 'example'; bytes: Uint8Array<ArrayBuffer> }
