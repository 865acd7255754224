// The sound of a day as a writer must make it (WRITING.md 2.1).
import { encodeTransmission, TRANSMISSION_SAMPLES, writeWav } from '../../protocol/index.ts'
import { fieldsOf, type Snapshot } from './snapshot.ts'

/** The size of the WAV of any day [bytes]. */
export const SOUND_BYTES =
  writeWav(new Int16Array()).length + TRANSMISSION_SAMPLES * Int16Array.BYTES_PER_ELEMENT

/**
 * Returns the WAV of a day, 48 kHz 16-bit mono.
 * @throws ProtocolError if a transmission cannot carry the snapshot's fields
 */
export const soundOf = (snapshot: Snapshot): Uint8Array =>
  writeWav(encodeTransmission(fieldsOf(snapshot)))
