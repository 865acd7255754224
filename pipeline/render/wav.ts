// A day as sound: the transmission of its fields in a WAV file.
import {
  type DayFields,
  encodeTransmission,
  SAMPLE_RATE,
  TRANSMISSION_SAMPLES,
  writeWav,
} from '../../protocol/index.ts'

/** How long every transmission of protocol V1 lasts: 29.14 s. */
export const TRANSMISSION_SECONDS = TRANSMISSION_SAMPLES / SAMPLE_RATE

/** The WAV file of a day, 48 kHz 16-bit mono. Throws ProtocolError on fields that a frame cannot carry. */
export function renderWav(fields: DayFields): Uint8Array {
  return writeWav(encodeTransmission(fields))
}
