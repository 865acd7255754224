// The shipped recordings, decoded incrementally with buffers of every size.
import { type Decoding, WavDecoder } from '../../../protocol/receiver/index.ts'
import { describeRecordings } from './recordings.ts'

describeRecordings('incrementally', decodeIncrementally)

function decodeIncrementally(bytes: Uint8Array): Decoding {
  const decoder = new WavDecoder()
  let size = 1
  for (let at = 0; at < bytes.length; at += size) {
    size = (size * 7 + 3) % 9973
    decoder.push(bytes.slice(at, at + size))
  }
  return decoder.end()
}
