// Renders the sound of a day, its transmission as a WAV file, and decodes it again before it is published.
import { fieldsOf, type Snapshot } from '../../archive/format/snapshot.ts'
import { soundOf } from '../../archive/format/sound.ts'
import { encodeFrame, TRANSMISSION_SECONDS, toHex } from '../../protocol/index.ts'
import { type Decoding, decodeWav } from '../../protocol/receiver/index.ts'
import type { Rendering } from './rendering.ts'

export interface Sound extends Rendering {
  decoding: Decoding
}

/**
 * Renders the sound of a day, 48 kHz 16-bit mono.
 * @throws Error if it does not decode to the snapshot
 */
export function renderSound(snapshot: Snapshot): Sound {
  const bytes = soundOf(snapshot)
  const decoding = decodeSound(bytes, snapshot)
  return { bytes, properties: { duration_seconds: TRANSMISSION_SECONDS }, decoding }
}

/** Decodes a WAV. @throws Error if it does not contain exactly the day of the snapshot */
export function decodeSound(wav: Uint8Array, snapshot: Snapshot): Decoding {
  const decoding = decodeWav(wav)
  const frames = decoding.transmissions.map((transmission) => toHex(transmission.frame))
  const expected = toHex(encodeFrame(fieldsOf(snapshot)))
  if (frames.length === 1 && frames[0] === expected) return decoding
  const reason = decoding.error?.message ?? `it contains ${frames.join(', ')}`
  throw new Error(`${snapshot.day}: the WAV does not decode to its snapshot: ${reason}`)
}
