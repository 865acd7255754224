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
  try {
    return haveSamples(wav, encodeTransmission(fieldsOf(snapshot)))
  } catch (error) {
    if (error instanceof ProtocolError) return false
    throw error
  }
}

function haveSamples(wav: Uint8Array, samples: Int16Array): boolean {
  const view = new DataView(wav.buffer, wav.byteOffset + HEADER.length)
  for (let i = 0; i < samples.length; i += 1)
    if (view.getInt16(i * Int16Array.BYTES_PER_ELEMENT, true) !== samples[i]) return false
  return true
}
