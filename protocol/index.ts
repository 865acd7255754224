// The public interface of the protocol, for the other parts of the project and the browser.
export { toHex, unpackBits } from './bits.ts'
export * from './constants.ts'
export { crc32 } from './crc.ts'
export { DAY_MS, FIRST_DAY, LAST_DAY } from './day.ts'
export { encodeTones, encodeTransmission } from './encode.ts'
export { type ErrorCode, ProtocolError } from './errors.ts'
export {
  CLOCK_STATUSES,
  type ClockStatus,
  CONCLUSIONS,
  COUNTER_NAMES,
  COVERAGES,
  type Conclusion,
  type CounterName,
  type Coverage,
  concludeDay,
  type DayFields,
  decodeFrame,
  encodeFrame,
  perCounter,
} from './frame.ts'
export { POSITION_SLOTS } from './interleave.ts'
export { modulate } from './modulate.ts'
export { INFORMATION_POSITIONS } from './polar.ts'
export { type Decoding, decodeWav, Receiver, WavDecoder } from './receiver/decode.ts'
export type { Diagnostics, SlotState } from './receiver/diagnostics.ts'
export { FourierTransform } from './receiver/fft.ts'
export {
  GOOD_DB,
  NOISELESS_DB,
  type Quality,
  rateReception,
  VERY_CLEAR_DB,
} from './receiver/quality.ts'
export type { Transmission } from './receiver/window.ts'
export { readWav, WavReader } from './wav/read.ts'
export { wavHeader, writeWav } from './wav/write.ts'
