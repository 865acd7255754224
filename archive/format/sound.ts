// The sound of a day as a writer must make it (WRITING.md 2.1).
import { encodeTransmission, writeWav } from '../../protocol/index.ts'
import { fieldsOf, type Snapshot } from './snapshot.ts'

/**
 * Returns the WAV of a day, 48 kHz 16-bit mono.
 * @throws ProtocolError if a transmission cannot carry the snapshot's fields
 */
export const soundOf = (snapshot: Snapshot): Uint8Array =>
  writeWav(encodeTransmission(fieldsOf(snapshot)))
