// Writes samples as a WAV file with the minimal header, which every player reads (SPEC.md 8.1).
import { SAMPLE_RATE } from '../constants.ts'

const HEADER_BYTES = 44
const SAMPLE_BYTES = 2

/** Returns a mono 16-bit PCM WAV file, little-endian, with no chunks other than `fmt ` and `data`. */
export function writeWav(samples: Int16Array, sampleRate: number = SAMPLE_RATE): Uint8Array {
  const header = wavHeader(samples.length, sampleRate)
  const file = new Uint8Array(header.length + samples.length * SAMPLE_BYTES)
  file.set(header)
  const view = new DataView(file.buffer, header.length)
  for (let i = 0; i < samples.length; i++) view.setInt16(i * SAMPLE_BYTES, samples[i]!, true)
  return file
}

/** Returns what `writeWav` writes before so many samples. */
export function wavHeader(samples: number, sampleRate: number = SAMPLE_RATE): Uint8Array {
  const dataBytes = samples * SAMPLE_BYTES
  const header = new Uint8Array(HEADER_BYTES)
  const view = new DataView(header.buffer)
  const writeTag = (offset: number, tag: string) =>
    header.set(
      Array.from(tag, (letter) => letter.charCodeAt(0)),
      offset,
    )
  writeTag(0, 'RIFF')
  view.setUint32(4, HEADER_BYTES + dataBytes - 8, true)
  writeTag(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, 1, true)
  view.setUint16(22, 1, true)
  view.setUint32(24, sampleRate, true)
  view.setUint32(28, sampleRate * SAMPLE_BYTES, true)
  view.setUint16(32, SAMPLE_BYTES, true)
  view.setUint16(34, SAMPLE_BYTES * 8, true)
  writeTag(36, 'data')
  view.setUint32(40, dataBytes, true)
  return header
}
