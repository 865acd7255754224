// A day as sound: its transmission in a WAV file, decoded again before it is published.
import { fieldsOf, type Snapshot } from '../../archive/format/snapshot.ts'
import {
  type Decoding,
  decodeWav,
  encodeFrame,
  encodeTransmission,
  TRANSMISSION_SECONDS,
  toHex,
  writeWav,
} from '../../protocol/index.ts'
import type { Rendering } from './rendering.ts'

export interface Sound extends Rendering {
  /** What the file decodes to. */
  decoding: Decoding
}

/**
 * The sound of a day, 48 kHz 16-bit mono.
 * @throws Error when it does not decode to the snapshot
 */
export function renderSound(snapshot: Snapshot): Sound {
  const bytes = writeWav(encodeTransmission(fieldsOf(snapshot)))
  const decoding = decodeSound(bytes, snapshot)
  return { bytes, properties: { duration_seconds: TRANSMISSION_SECONDS }, decoding }
}

/** @throws Error when a WAV does not carry exactly what a snapshot states */
export function decodeSound(wav: Uint8Array, snapshot: Snapshot): Decoding {
  const decoding = decodeWav(wav)
  const frames = decoding.transmissions.map((transmission) => toHex(transmission.frame))
  const due = toHex(encodeFrame(fieldsOf(snapshot)))
  if (frames.length === 1 && frames[0] === due) return decoding
  const instead = decoding.error?.message ?? `it carries ${frames.join(', ')}`
  throw new Error(`${snapshot.day}: the WAV does not decode to its snapshot: ${instead}`)
}
