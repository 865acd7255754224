// The door of the receiver, for those who decode recordings; ../index.ts is the door for everybody else.
export { type Decoding, decodeWav, isSame, Receiver, WavDecoder } from './decode.ts'
export type { Diagnostics, SlotState } from './diagnostics.ts'
export { FourierTransform } from './fft.ts'
export { type Hearing, LiveReceiver, type Reading } from './live.ts'
export {
  GOOD_DB,
  NOISELESS_DB,
  type Quality,
  rateReception,
  VERY_CLEAR_DB,
} from './quality.ts'
export type { Transmission } from './window.ts'
