// Parses the header of a WAVE file up to its first audio byte, tolerating common errors in sizes (SPEC.md 8.2).
import { ProtocolError } from '../errors.ts'
import { FORMAT_BYTES, parseFormat, type WavFormat } from './format.ts'

/**
 * What the parser needs next: `take` consumes bytes, `peek` leaves them in the input, `skip` discards them.
 * It receives fewer bytes than requested only at the end of the file.
 */
export interface ReadRequest {
  kind: 'take' | 'peek' | 'skip'
  bytes: number
}

/** The result of the parser: the format of the audio and its length [bytes], Infinity if unknown. */
export interface AudioStart {
  format: WavFormat
  bytes: number
}

type Parser<Result> = Generator<ReadRequest, Result, Uint8Array>

/** The size that writers store when the true one is unknown or in a ds64 chunk. */
const UNKNOWN_SIZE = 0xffffffff

/** Chunk names that tell a chunk from audio or padding, where a size or a missing pad byte leaves that open. */
const KNOWN_CHUNKS = [
  'fmt ',
  'data',
  'fact',
  'LIST',
  'bext',
  'JUNK',
  'PEAK',
  'cue ',
  'smpl',
  'id3 ',
  'ID3 ',
  'iXML',
  '_PMX',
]

/** Signatures of formats that are mistaken for WAV, for the error message. */
const OTHER_FORMATS: [offset: number, start: string, name: string][] = [
  [0, 'ID3', 'an MP3 file'],
  [0, '\xff\xfb', 'an MP3 file'],
  [0, 'OggS', 'an Ogg file'],
  [0, 'fLaC', 'a FLAC file'],
  [0, 'FORM', 'an AIFF file'],
  [0, '.snd', 'an AU file'],
  [0, 'caff', 'a CAF file'],
  [0, 'riff', 'a Wave64 file'],
  [4, 'ftyp', 'an MP4 file'],
  [0, '\x1a\x45\xdf\xa3', 'a Matroska or WebM file'],
]

/**
 * Parses a file up to the first byte of audio, which is then next in the input.
 * @throws `not_wav`, `invalid_wav`, `unsupported_wav` or `truncated_wav`
 */
export function* parseHeader(): Parser<AudioStart> {
  const bigEndian = yield* readContainer()
  let format: WavFormat | null = null
  let ds64Size = Infinity
  for (;;) {
    const chunk = yield* readChunkHead(bigEndian, format !== null)
    if (chunk.id === 'data') {
      if (format === null)
        throw new ProtocolError('invalid_wav', 'the data chunk comes before the fmt chunk')
      return {
        format,
        bytes: chunk.size === UNKNOWN_SIZE ? ds64Size : yield* audioBytes(chunk.size),
      }
    }
    let read = 0
    if (chunk.id === 'fmt ') {
      const content = yield* takeContent(chunk, FORMAT_BYTES)
      format = parseFormat(content, bigEndian)
      read = content.length
    } else if (chunk.id === 'ds64') {
      const content = yield* takeContent(chunk, DS64_BYTES)
      ds64Size = ds64DataSize(content)
      read = content.length
    }
    yield { kind: 'skip', bytes: chunk.size - read }
    if (chunk.size % 2 === 1) yield* skipPadding()
  }
}

interface ChunkHead {
  id: string
  size: number
}

/** Parses the first twelve bytes. @returns whether the file is big-endian */
function* readContainer(): Parser<boolean> {
  const head = yield { kind: 'take', bytes: 12 }
  const container = text(head, 0, 4)
  if (head.length === 0) throw new ProtocolError('not_wav', 'the file is empty')
  if (!['RIFF', 'RIFX', 'RF64', 'BW64'].some((name) => name.startsWith(container))) {
    const other = OTHER_FORMATS.find(([at, start]) => text(head, at, start.length) === start)
    throw new ProtocolError(
      'not_wav',
      `this is ${other?.[2] ?? 'another kind of file'}, not a WAV file`,
    )
  }
  // A file that ends within the form type is truncated only if it is right so far.
  if (!'WAVE'.startsWith(text(head, 8, 4)))
    throw new ProtocolError('not_wav', `the ${container} file does not contain WAVE audio`)
  if (head.length < 12)
    throw new ProtocolError('truncated_wav', 'the file ends within its first 12 bytes')
  return container === 'RIFX'
}

function* readChunkHead(bigEndian: boolean, formatKnown: boolean): Parser<ChunkHead> {
  const head = yield { kind: 'take', bytes: 8 }
  if (head.length < 8) {
    const missing = formatKnown ? 'data' : 'fmt'
    throw new ProtocolError('truncated_wav', `the file ends without a ${missing} chunk`)
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  return { id: text(head, 0, 4), size: view.getUint32(4, !bigEndian) }
}

function* takeContent(chunk: ChunkHead, limit: number): Parser<Uint8Array> {
  const length = Math.min(chunk.size, limit)
  const content = yield { kind: 'take', bytes: length }
  if (content.length < length) {
    throw new ProtocolError('truncated_wav', `the file ends within its ${chunk.id.trim()} chunk`)
  }
  return content
}

/** The first two 64-bit sizes of a ds64 chunk: of the file, and of the audio. Only the latter is used. */
const DS64_BYTES = 16

function ds64DataSize(content: Uint8Array): number {
  if (content.length < DS64_BYTES)
    throw new ProtocolError('invalid_wav', 'the ds64 chunk is too short')
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  return Number(view.getBigUint64(8, true)) || Infinity
}

/** Returns the length of the audio for the `size` of its chunk; a 0 followed by audio was never filled in. */
function* audioBytes(size: number): Parser<number> {
  if (size > 0) return size
  const ahead = yield { kind: 'peek', bytes: 4 }
  return KNOWN_CHUNKS.includes(text(ahead, 0, 4)) ? 0 : Infinity
}

/** Skips the pad byte after a chunk of odd size, which some writers omit. */
function* skipPadding(): Parser<void> {
  const ahead = yield { kind: 'peek', bytes: 4 }
  if (!KNOWN_CHUNKS.includes(text(ahead, 0, 4))) yield { kind: 'skip', bytes: 1 }
}

function text(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length))
}
