// Parses the `fmt ` chunk of a WAVE file and rejects formats that the reader does not support (SPEC.md 8.2).
import { ProtocolError } from '../errors.ts'

/** How the samples of a WAV file are stored. */
export interface WavFormat {
  /** Sample frames per second. */
  sampleRate: number
  channels: number
  coding: 'pcm' | 'float' | 'mu-law' | 'a-law'
  /** Bytes of one sample of one channel. */
  sampleBytes: number
  /** Whether numbers are stored with the most significant byte first (RIFX). */
  bigEndian: boolean
}

const RATE_RANGE = { lowest: 8000, highest: 192_000 }
const MAX_CHANNELS = 8
/** Lengths of a `fmt ` chunk: the plain form, and WAVE_FORMAT_EXTENSIBLE. */
const PLAIN_BYTES = 16
const EXTENSIBLE_BYTES = 40
/** Bytes of a `fmt ` chunk that `parseFormat` uses; the rest of a longer one is ignored. */
export const FORMAT_BYTES = EXTENSIBLE_BYTES

const EXTENSIBLE_TAG = 0xfffe
/** The last eight bytes of the sub-format GUIDs that encode a format tag: its own ones, and those of Ambisonic B-format. */
const TAG_GUID_ENDS = [
  [0x80, 0x00, 0x00, 0xaa, 0x00, 0x38, 0x9b, 0x71],
  [0x86, 0x44, 0xc8, 0xc1, 0xca, 0x00, 0x00, 0x00],
]

const CODINGS: Record<number, { coding: WavFormat['coding']; sampleBytes: number[] }> = {
  1: { coding: 'pcm', sampleBytes: [1, 2, 3, 4] },
  3: { coding: 'float', sampleBytes: [4, 8] },
  6: { coding: 'a-law', sampleBytes: [1] },
  7: { coding: 'mu-law', sampleBytes: [1] },
}

/** Names of common codings that need a codec, for the error message. */
const UNSUPPORTED_CODINGS: Record<number, string> = {
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
 * Parses the content of a `fmt ` chunk.
 * @throws `invalid_wav` if it is too short or contradicts itself; `unsupported_wav`, naming it, for a coding, sample
 *   size, rate or number of channels that the reader does not support
 */
export function parseFormat(chunk: Uint8Array, bigEndian: boolean): WavFormat {
  if (chunk.length < PLAIN_BYTES) {
    throw new ProtocolError('invalid_wav', `the fmt chunk has only ${chunk.length} bytes`)
  }
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  const tag = formatTag(view, bigEndian)
  const channels = view.getUint16(2, !bigEndian)
  const sampleRate = view.getUint32(4, !bigEndian)
  const known = CODINGS[tag]
  if (known === undefined) {
    const name = UNSUPPORTED_CODINGS[tag] ?? `coding 0x${tag.toString(16).padStart(4, '0')}`
    throw new ProtocolError('unsupported_wav', `the audio is stored as ${name}; convert it to PCM`)
  }
  checkExtent(channels, sampleRate)
  const sampleBytes = sampleSize(view, bigEndian, channels)
  if (!known.sampleBytes.includes(sampleBytes)) {
    throw new ProtocolError(
      'unsupported_wav',
      `${known.coding} samples of ${sampleBytes * 8} bits are not supported`,
    )
  }
  return { sampleRate, channels, coding: known.coding, sampleBytes, bigEndian }
}

/** Returns the format tag or, in the extensible form, the tag that its sub-format GUID encodes. */
function formatTag(view: DataView, bigEndian: boolean): number {
  const tag = view.getUint16(0, !bigEndian)
  if (tag !== EXTENSIBLE_TAG) return tag
  if (view.byteLength < EXTENSIBLE_BYTES) {
    throw new ProtocolError('invalid_wav', 'the extensible fmt chunk ends before its sub-format')
  }
  if (!TAG_GUID_ENDS.some((end) => end.every((byte, i) => view.getUint8(32 + i) === byte))) {
    throw new ProtocolError('unsupported_wav', 'the audio is stored in a vendor’s own coding')
  }
  // The GUID starts with a 32-bit number; big-endian writers disagree on which half comes first.
  return view.getUint16(24, !bigEndian) || view.getUint16(26, !bigEndian)
}

function checkExtent(channels: number, sampleRate: number): void {
  if (channels === 0) throw new ProtocolError('invalid_wav', 'the fmt chunk states 0 channels')
  if (sampleRate === 0) throw new ProtocolError('invalid_wav', 'the fmt chunk states a rate of 0')
  if (channels > MAX_CHANNELS) {
    throw new ProtocolError(
      'unsupported_wav',
      `${channels} channels are more than the ${MAX_CHANNELS} supported`,
    )
  }
  if (sampleRate < RATE_RANGE.lowest || sampleRate > RATE_RANGE.highest) {
    throw new ProtocolError(
      'unsupported_wav',
      `a rate of ${sampleRate} Hz is outside ${RATE_RANGE.lowest} to ${RATE_RANGE.highest} Hz`,
    )
  }
}

/** Returns the bytes of a sample's container; if it has fewer significant bits, they are the uppermost ones. */
function sampleSize(view: DataView, bigEndian: boolean, channels: number): number {
  const frameBytes = view.getUint16(12, !bigEndian)
  const bits = view.getUint16(14, !bigEndian)
  const container = frameBytes / channels
  if (!Number.isInteger(container) || bits === 0 || bits > container * 8) {
    throw new ProtocolError(
      'invalid_wav',
      `${bits} bits per sample, ${channels} channels and ${frameBytes} bytes per frame contradict each other`,
    )
  }
  return container
}
