// What a WAVE file's `fmt ` chunk says about its samples, and which of it is read here (SPEC.md 8.2).
import { ProtocolError } from '../errors.ts'

/** How the samples of a WAV file are stored. */
export interface WavFormat {
  /** Frames a second. */
  sampleRate: number
  channels: number
  coding: 'pcm' | 'float' | 'mu-law' | 'a-law'
  /** Bytes of one sample of one channel. */
  sampleBytes: number
  /** Whether numbers are stored with the most significant byte first (RIFX). */
  bigEndian: boolean
}

const RATE_RANGE = { lowest: 8000, highest: 192_000 }
const MOST_CHANNELS = 8
/** The parts of a `fmt ` chunk: the plain form, and the one of WAVE_FORMAT_EXTENSIBLE. */
const PLAIN_BYTES = 16
const EXTENSIBLE_BYTES = 40
/** No part of a longer `fmt ` chunk matters. */
export const FORMAT_BYTES = EXTENSIBLE_BYTES

const EXTENSIBLE_TAG = 0xfffe
/** How every GUID ends that stands for a plain format tag: ...-8000-00AA00389B71. */
const TAG_GUID_END = [0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71]

const CODINGS: Record<number, { coding: WavFormat['coding']; sampleBytes: number[] }> = {
  1: { coding: 'pcm', sampleBytes: [1, 2, 3, 4] },
  3: { coding: 'float', sampleBytes: [4, 8] },
  6: { coding: 'a-law', sampleBytes: [1] },
  7: { coding: 'mu-law', sampleBytes: [1] },
}

/** Codings that people meet in WAV files and that only a codec can read. */
const UNREAD_CODINGS: Record<number, string> = {
  2: 'Microsoft ADPCM',
  17: 'IMA ADPCM',
  49: 'GSM 6.10',
  80: 'MPEG audio',
  85: 'MP3',
  255: 'AAC',
  353: 'Windows Media Audio',
  8192: 'AC-3',
}

/**
 * The format that a `fmt ` chunk of at least 16 bytes describes. Throws `invalid_wav` for one that contradicts itself
 * and `unsupported_wav`, with the name, for a coding, depth, rate or number of channels that is not read here.
 */
export function parseFormat(chunk: Uint8Array, bigEndian: boolean): WavFormat {
  if (chunk.length < PLAIN_BYTES) {
    throw new ProtocolError('invalid_wav', `the fmt chunk has ${chunk.length} bytes, too few`)
  }
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const tag = formatTag(view, bigEndian)
  const channels = view.getUint16(2, !bigEndian)
  const sampleRate = view.getUint32(4, !bigEndian)
  const known = CODINGS[tag]
  if (known === undefined) {
    const name = UNREAD_CODINGS[tag] ?? `coding 0x${tag.toString(16).padStart(4, '0')}`
    throw new ProtocolError('unsupported_wav', `the sound is stored as ${name}; convert it to PCM`)
  }
  checkExtent(channels, sampleRate)
  const sampleBytes = sampleSize(view, bigEndian, channels)
  if (!known.sampleBytes.includes(sampleBytes)) {
    throw new ProtocolError(
      'unsupported_wav',
      `${known.coding} samples of ${sampleBytes * 8} bits are not read here`,
    )
  }
  return { sampleRate, channels, coding: known.coding, sampleBytes, bigEndian }
}

/** The format tag itself or, in the extensible form, the one that its GUID stands for. */
function formatTag(view: DataView, bigEndian: boolean): number {
  const tag = view.getUint16(0, !bigEndian)
  if (tag !== EXTENSIBLE_TAG) return tag
  if (view.byteLength < EXTENSIBLE_BYTES) {
    throw new ProtocolError('invalid_wav', 'the extensible fmt chunk ends before its sub-format')
  }
  if (TAG_GUID_END.some((byte, i) => view.getUint8(32 + i) !== byte)) {
    throw new ProtocolError('unsupported_wav', 'the sound is stored in a vendor’s own coding')
  }
  // The GUID starts with a 32-bit number; big-endian writers disagree on which half comes first.
  return view.getUint16(24, !bigEndian) || view.getUint16(26, !bigEndian)
}

function checkExtent(channels: number, sampleRate: number): void {
  if (channels === 0) throw new ProtocolError('invalid_wav', 'the fmt chunk says 0 channels')
  if (sampleRate === 0)
    throw new ProtocolError('invalid_wav', 'the fmt chunk says 0 samples a second')
  if (channels > MOST_CHANNELS) {
    throw new ProtocolError(
      'unsupported_wav',
      `${channels} channels are more than ${MOST_CHANNELS}`,
    )
  }
  if (sampleRate < RATE_RANGE.lowest || sampleRate > RATE_RANGE.highest) {
    throw new ProtocolError(
      'unsupported_wav',
      `${sampleRate} samples a second are not within ${RATE_RANGE.lowest} to ${RATE_RANGE.highest}`,
    )
  }
}

/** The bytes of a sample: its container's, in which fewer significant bits stand at the top. */
function sampleSize(view: DataView, bigEndian: boolean, channels: number): number {
  const frameBytes = view.getUint16(12, !bigEndian)
  const bits = view.getUint16(14, !bigEndian)
  const container = frameBytes / channels
  if (!Number.isInteger(container) || bits === 0 || bits > container * 8) {
    throw new ProtocolError(
      'invalid_wav',
      `the fmt chunk says ${bits} bits a sample, ${channels} channels and ${frameBytes} bytes a frame, which do not agree`,
    )
  }
  return container
}
