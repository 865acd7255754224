// Stored samples as numbers: PCM, float, mu-law and A-law, in either byte order (SPEC.md 8.3).
import type { WavFormat } from './format.ts'

/** Floats beyond this are damage, not sound: even 32-bit integers stored unscaled stay below it. */
const LARGEST_FLOAT = 2 ** 32

type SampleReader = (view: DataView, offset: number) => number

/**
 * The frames in `bytes`, one array a channel, full scale being 1. Trailing bytes that make no whole frame are left out.
 * NaN, infinities and absurdly large floats are silence.
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

/** 16-bit PCM, the usual case, without a call a sample. */
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
      ? (view, offset) => soundOnly(view.getFloat32(offset, little))
      : (view, offset) => soundOnly(view.getFloat64(offset, little))
  }
  if (sampleBytes === 1) return (view, offset) => (view.getUint8(offset) - 128) / 128
  if (sampleBytes === 4) return (view, offset) => view.getInt32(offset, little) / 2 ** 31
  return little
    ? (view, offset) => (view.getInt16(offset + 1, true) * 256 + view.getUint8(offset)) / 2 ** 23
    : (view, offset) => (view.getInt16(offset) * 256 + view.getUint8(offset + 2)) / 2 ** 23
}

function soundOnly(sample: number): number {
  return Math.abs(sample) <= LARGEST_FLOAT ? sample : 0
}

/** ITU-T G.711 mu-law: sign, 3 bits of exponent, 4 of mantissa, all inverted; 14-bit values in 16-bit scale. */
const MU_LAW = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = ~code & 0xff
  const magnitude = ((((bits & 15) << 3) + 0x84) << ((bits >> 4) & 7)) - 0x84
  return (bits & 0x80 ? 0 - magnitude : magnitude) / 2 ** 15
})

/** ITU-T G.711 A-law: as mu-law, but every second bit inverted, the lowest segment linear; 13-bit values in 16-bit scale. */
const A_LAW = Float32Array.from({ length: 256 }, (_, code) => {
  const bits = code ^ 0x55
  const exponent = (bits >> 4) & 7
  const mantissa = ((bits & 15) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return (bits & 0x80 ? magnitude : -magnitude) / 2 ** 15
})
