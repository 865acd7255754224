// Decodes stored samples: PCM, float, mu-law and A-law, in either byte order (SPEC.md 8.3).
import type { WavFormat } from './format.ts'

/** Floats of a larger magnitude are corrupt: even 32-bit integers stored unscaled do not exceed it. */
const MAX_MAGNITUDE = 2 ** 32

type SampleReader = (view: DataView, offset: number) => number

/**
 * Decodes the sample frames in `bytes` to one array per channel, scaled so that full scale is 1. An incomplete frame at
 * the end is dropped; NaN, infinities and absurdly large floats become silence.
 */
export function readFrames(bytes: Uint8Array, format: WavFormat): Float32Array[] {
  const { channels, sampleBytes } = format
  const frames = Math.floor(bytes.length / (channels * sampleBytes))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (format.coding === 'pcm' && sampleBytes === 2) return readShorts(view, frames, format)
  const read = sampleReader(format)
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let i = 0; i < frames; i++) {
      samples[i] = read(view, (i * channels + channel) * sampleBytes)
    }
    return samples
  })
}

/** Decodes 16-bit PCM, the usual case, without a function call per sample. */
function readShorts(view: DataView, frames: number, format: WavFormat): Float32Array[] {
  const { channels, bigEndian } = format
  return Array.from({ length: channels }, (_, channel) => {
    const samples = new Float32Array(frames)
    for (let i = 0, at = 2 * channel; i < frames; i++, at += 2 * channels) {
      samples[i] = view.getInt16(at, !bigEndian) / 2 ** 15
    }
    return samples
  })
}

function sampleReader({ coding, sampleBytes, bigEndian }: WavFormat): SampleReader {
  const little = !bigEndian
  if (coding === 'mu-law') return (view, offset) => MU_LAW[view.getUint8(offset)]!
  if (coding === 'a-law') return (view, offset) => A_LAW[view.getUint8(offset)]!
  if (coding === 'float') {
    return sampleBytes === 4
      ? (view, offset) => finiteOrSilence(view.getFloat32(offset, little))
      : (view, offset) => finiteOrSilence(view.getFloat64(offset, little))
  }
  if (sampleBytes === 1) return (view, offset) => (view.getUint8(offset) - 128) / 128
  if (sampleBytes === 4) return (view, offset) => view.getInt32(offset, little) / 2 ** 31
  return little
    ? (view, offset) => (view.getInt16(offset + 1, true) * 256 + view.getUint8(offset)) / 2 ** 23
    : (view, offset) => (view.getInt16(offset) * 256 + view.getUint8(offset + 2)) / 2 ** 23
}

function finiteOrSilence(sample: number): number {
  return Math.abs(sample) <= MAX_MAGNITUDE ? sample : 0
}

/** ITU-T G.711 mu-law: sign, 3-bit exponent, 4-bit mantissa, all inverted; 14-bit values on the 16-bit scale. */
const MU_LAW = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff
  const magnitude = ((((bits & 15) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84
  return (bits & 0x80 ? 0 - magnitude : magnitude) / 2 ** 15
})

/** ITU-T G.711 A-law: as mu-law, but with every second bit inverted and a linear lowest segment; 13-bit values. */
const A_LAW = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ 0x55
  const exponent = (bits >> 4) & 7
  const mantissa = ((bits & 15) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return (bits & 0x80 ? magnitude : -magnitude) / 2 ** 15
})
