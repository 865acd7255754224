// The sound of a day as a writer must make it (WRITING.md 2.1).
import {
  encodeTransmission,
  ProtocolError,
  TRANSMISSION_SAMPLES,
  wavHeader,
  writeWav,
} from '../../protocol/index.ts'
import { fieldsOf, type Snapshot } from './snapshot.ts'

/** The header of the WAV of any day. */
const HEADER = wavHeader(TRANSMISSION_SAMPLES)
/** The size of the WAV of any day [bytes]. */
const SOUND_BYTES = HEADER.length + TRANSMISSION_SAMPLES * Int16Array.BYTES_PER_ELEMENT

/**
 * Returns the WAV of a day, 48 kHz 16-bit mono.
 * @throws ProtocolError if a transmission cannot carry the snapshot's fields
 */
export const soundOf = (snapshot: Snapshot): Uint8Array =>
  writeWav(encodeTransmission(fieldsOf(snapshot)))

/** Whether a WAV has the bytes of `soundOf`, compared without a copy of them. */
export function isSoundOf(snapshot: Snapshot, wav: Uint8Array): boolean {
  if (wav.length !== SOUND_BYTES || HEADER.some((byte, i) => wav[i] !== byte)) return false
  const view = new DataView(wav.buffer, wav.byteOffset + HEADER.length)
  try {
    return encodeTransmission(fieldsOf(snapshot)).every(
      (sample, i) => view.getInt16(i * Int16Array.BYTES_PER_ELEMENT, true) === sample,
    )
  } catch (error) {
    if (error instanceof ProtocolError) return false
    throw error
  }
}
