// Reads the duration and pixel size of media files, which their manifests state too (FORMAT.md 8.2). Pure.
import { crc32, readWav } from '../../protocol/index.ts'

/** The properties of a media file's content; which ones depends on its kind. */
export interface MediumProperties {
  duration_seconds?: number
  /** [pixels] */
  width?: number
  height?: number
}

export function wavFacts(bytes: Uint8Array): MediumProperties {
  const { format, channels } = readWav(bytes)
  return { duration_seconds: (channels[0]?.length ?? 0) / format.sampleRate }
}

const PNG_SIGNATURE = 0x89504e470d0a1a0an
const IHDR_BYTES = 13
/** Length, type and CRC of a chunk. */
const PNG_OVERHEAD = 12

/**
 * Width and height in IHDR, the first chunk. Each chunk must have its CRC, and IEND must end the file (PNG, third
 * edition, section 5). The compressed pixels are not read.
 */
export function pngFacts(bytes: Uint8Array): MediumProperties | null {
  const view = viewOf(bytes)
  if (view.getBigUint64(0) !== PNG_SIGNATURE) return null
  if (view.getUint32(8) !== IHDR_BYTES || tag(view, 12) !== 'IHDR') return null
  let last = ''
  for (let at = 8; at < bytes.length; ) {
    const end = at + PNG_OVERHEAD + view.getUint32(at)
    const crc = view.getUint32(end - 4)
    if (last === 'IEND' || crc32(bytes.subarray(at + 4, end - 4)) !== crc) return null
    last = tag(view, at + 4)
    at = end
  }
  return last === 'IEND' ? { width: view.getUint32(16), height: view.getUint32(20) } : null
}

/**
 * Frame size and duration of the video track (ISO/IEC 14496-12: tkhd and mdhd). The boxes must fill the file, and those
 * on the way to the track their parents. The encoded samples are not read.
 */
export function mp4Facts(bytes: Uint8Array): MediumProperties | null {
  const view = viewOf(bytes)
  if (tag(view, 4) !== 'ftyp') return null
  const movie = boxes(view, 0, view.byteLength).find((box) => box.type === 'moov')
  const tracks = movie ? boxes(view, movie.start, movie.end) : []
  for (const track of tracks.filter((box) => box.type === 'trak')) {
    const within = boxes(view, track.start, track.end)
    const media = within.find((box) => box.type === 'mdia')
    const mediaBoxes = media ? boxes(view, media.start, media.end) : []
    const header = within.find((box) => box.type === 'tkhd')
    const handler = mediaBoxes.find((box) => box.type === 'hdlr')
    const length = mediaBoxes.find((box) => box.type === 'mdhd')
    if (!header || !handler || !length || tag(view, handler.start + 8) !== 'vide') continue
    const seconds = mediaSeconds(view, length.start)
    // A timescale of 0, with which a comparison with any stated duration would pass.
    if (!Number.isFinite(seconds)) return null
    return {
      duration_seconds: seconds,
      // The last two fields of tkhd, in 16.16 fixed point.
      width: view.getUint32(header.end - 8) / 65_536,
      height: view.getUint32(header.end - 4) / 65_536,
    }
  }
  return null
}

/** Duration over timescale [s]. Version 1 of mdhd has 64-bit times. */
function mediaSeconds(view: DataView, start: number): number {
  if (view.getUint8(start) === 1)
    return Number(view.getBigUint64(start + 24)) / view.getUint32(start + 20)
  return view.getUint32(start + 16) / view.getUint32(start + 12)
}

interface Box {
  type: string
  /** Start and end of the content, without the header. */
  start: number
  end: number
}

/** @throws RangeError if the boxes do not end where their parent does */
function boxes(view: DataView, from: number, to: number): Box[] {
  const found: Box[] = []
  for (let at = from; at < to; ) {
    const small = view.getUint32(at)
    const head = small === 1 ? 16 : 8
    const size = small === 1 ? Number(view.getBigUint64(at + 8)) : small || to - at
    if (size < head || at + size > to) throw new RangeError('a box is larger than its parent')
    found.push({ type: tag(view, at + 4), start: at + head, end: at + size })
    at += size
  }
  return found
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function tag(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)))
}
