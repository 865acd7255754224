// From the fields of a day to sound: only the order of the stages (SPEC.md 2).
import { unpackBits } from './bits.ts'
import { FRAME_BYTES } from './constants.ts'
import { ProtocolError } from './errors.ts'
import { type DayFields, encodeFrame } from './frame.ts'
import { interleave } from './interleave.ts'
import { joinLevels, labelTone } from './labels.ts'
import { modulate } from './modulate.ts'
import { encodeLevels } from './polar.ts'
import { insertSync } from './sync.ts'

/** The 273 tones of any 106 bytes, a valid frame or not; throws `invalid_frame` for another length. */
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

/** The sound of a day at 48 kHz; throws `invalid_fields` as `encodeFrame` does. */
export function encodeTransmission(fields: DayFields): Int16Array {
  return modulate(encodeTones(encodeFrame(fields)))
}
