// The way through a WAVE file to its sound: container, chunks, sizes that lie (SPEC.md 8.2).
import { ProtocolError } from '../errors.ts'
import { FORMAT_BYTES, parseFormat, type WavFormat } from './format.ts'

/**
 * What the walk wants next of the file: `take` bytes, `peek` at bytes that stay in place, or have them `skip`ped.
 * Taking and peeking are answered with fewer bytes only where the file ends.
 */
export interface Wish {
  kind: 'take' | 'peek' | 'skip'
  bytes: number
}

/** Where the walk ends: at the first byte of sound, with its format and its length in bytes, Infinity when unknown. */
export interface Sound {
  format: WavFormat
  bytes: number
}

type Walk<Result> = Generator<Wish, Result, Uint8Array>

/** The size that writers put where the true one is not known, or is in a ds64 chunk. */
const UNKNOWN_SIZE = 0xffffffff

/** Chunks that are recognised where a size or a missing pad byte makes it doubtful that one begins. */
const USUAL_CHUNKS = [
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

/** How files begin that are taken for WAV files. */
const OTHER_FILES: [offset: number, start: string, name: string][] = [
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

/** Walks to the first byte of sound. Throws `not_wav`, `invalid_wav`, `unsupported_wav` or `truncated_wav`. */
export function* walkHeader(): Walk<Sound> {
  const bigEndian = yield* readContainer()
  let format: WavFormat | null = null
  let longSize = Infinity
  for (;;) {
    const chunk = yield* readChunkHead(bigEndian, format !== null)
    if (chunk.id === 'data') {
      if (format === null)
        throw new ProtocolError('invalid_wav', 'the sound comes before the fmt chunk')
      return {
        format,
        bytes: chunk.size === UNKNOWN_SIZE ? longSize : yield* soundBytes(chunk.size),
      }
    }
    let read = 0
    if (chunk.id === 'fmt ') {
      const content = yield* takeFrom(chunk, FORMAT_BYTES)
      format = parseFormat(content, bigEndian)
      read = content.length
    } else if (chunk.id === 'ds64') {
      const content = yield* takeFrom(chunk, DS64_BYTES)
      longSize = longDataSize(content)
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

/** The first twelve bytes; whether the file is big-endian. */
function* readContainer(): Walk<boolean> {
  const head = yield { kind: 'take', bytes: 12 }
  const container = text(head, 0, 4)
  if (head.length === 0) throw new ProtocolError('not_wav', 'the file is empty')
  if (!['RIFF', 'RIFX', 'RF64', 'BW64'].some((name) => name.startsWith(container))) {
    const other = OTHER_FILES.find(([at, start]) => text(head, at, start.length) === start)
    throw new ProtocolError(
      'not_wav',
      `this is ${other?.[2] ?? 'another kind of file'}, not a WAV file`,
    )
  }
  if (head.length < 12)
    throw new ProtocolError('truncated_wav', 'the file ends within its first 12 bytes')
  const form = text(head, 8, 4)
  if (form !== 'WAVE')
    throw new ProtocolError('not_wav', `the ${container} file holds no WAVE sound`)
  return container === 'RIFX'
}

function* readChunkHead(bigEndian: boolean, formatKnown: boolean): Walk<ChunkHead> {
  const head = yield { kind: 'take', bytes: 8 }
  if (head.length < 8) {
    const missing = formatKnown ? 'data' : 'fmt'
    throw new ProtocolError('truncated_wav', `the file ends without a ${missing} chunk`)
  }
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  return { id: text(head, 0, 4), size: view.getUint32(4, !bigEndian) }
}

function* takeFrom(chunk: ChunkHead, most: number): Walk<Uint8Array> {
  const wanted = Math.min(chunk.size, most)
  const content = yield { kind: 'take', bytes: wanted }
  if (content.length < wanted) {
    throw new ProtocolError('truncated_wav', `the file ends within its ${chunk.id.trim()} chunk`)
  }
  return content
}

/** The first two of the 64-bit sizes of the ds64 chunk: the file's, and the sound's, which alone counts here. */
const DS64_BYTES = 16

function longDataSize(content: Uint8Array): number {
  if (content.length < DS64_BYTES)
    throw new ProtocolError('invalid_wav', 'the ds64 chunk is too short')
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength)
  return Number(view.getBigUint64(8, true)) || Infinity
}

/** The length of the sound where the chunk says `size`: a 0 that sound follows was never filled in. */
function* soundBytes(size: number): Walk<number> {
  if (size > 0) return size
  const ahead = yield { kind: 'peek', bytes: 4 }
  return USUAL_CHUNKS.includes(text(ahead, 0, 4)) ? 0 : Infinity
}

/** An odd chunk is followed by one byte of padding, which some writers forget. */
function* skipPadding(): Walk<void> {
  const ahead = yield { kind: 'peek', bytes: 4 }
  if (!USUAL_CHUNKS.includes(text(ahead, 0, 4))) yield { kind: 'skip', bytes: 1 }
}

function text(bytes: Uint8Array, offset: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(offset, offset + length))
}
