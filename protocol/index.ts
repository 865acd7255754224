// The public interface of the protocol without its receiver, for the other parts of the project and the browser.
// Those who decode recordings import receiver/index.ts, which most programs need not load.
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
export { readWav, WavReader } from './wav/read.ts'
export { wavHeader, writeWav } from './wav/write.ts'
