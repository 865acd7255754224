// Encodes the fields of a day to audio by composing the stages (SPEC.md 2).
import { unpackBits } from './bits.ts'
import { FRAME_BYTES } from './constants.ts'
import { ProtocolError } from './errors.ts'
import { type DayFields, encodeFrame } from './frame.ts'
import { insertSync, interleave } from './interleave.ts'
import { joinLevels, labelTone } from './labels.ts'
import { modulate } from './modulate.ts'
import { encodeLevels } from './polar.ts'

/**
 * Returns the 273 tones of any 106 bytes, whether or not they are a valid frame.
 * @throws `invalid_frame` for another length
 */
export function encodeTones(frame: Uint8Array): Uint8Array {
  if (frame.length !== FRAME_BYTES) {
    throw new ProtocolError(
      'invalid_frame',
      `a frame has ${FRAME_BYTES} bytes, not ${frame.length}`,
    )
  }
  const labels = joinLevels(encodeLevels(unpackBits(frame)))
  return insertSync(interleave(labels.map(labelTone)))
}

/**
 * Returns the 48 kHz samples of a day's transmission.
 * @throws `invalid_fields` as `encodeFrame` does
 */
export function encodeTransmission(fields: DayFields): Int16Array {
  return modulate(encodeTones(encodeFrame(fields)))
}
