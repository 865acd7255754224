// Reads from the head of a medium what its manifest says of the content: seconds and pixels. Pure.
import type { MediaKind } from '../format/paths.ts'

/** What a medium says of itself. */
export interface Facts {
  duration_seconds?: number
  width?: number
  height?: number
}

/** The facts of a medium; null for bytes that are not of its kind. */
export function factsOf(kind: MediaKind, bytes: Uint8Array): Facts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return { wav: wavFacts, mp4: mp4Facts, png: pngFacts }[kind](view)
  } catch (error) {
    // DataView's word for a file that ends too early.
    if (error instanceof RangeError) return null
    throw error
  }
}

const PNG_SIGNATURE = 0x89504e470d0a1a0an

/** Width and height are the first two numbers of IHDR, which comes first. */
function pngFacts(view: DataView): Facts | null {
  if (view.getBigUint64(0) !== PNG_SIGNATURE || tag(view, 12) !== 'IHDR') return null
  return { width: view.getUint32(16), height: view.getUint32(20) }
}

/** Seconds are the data chunk's bytes over the format chunk's bytes per second. */
function wavFacts(view: DataView): Facts | null {
  if (tag(view, 0) !== 'RIFF' || tag(view, 8) !== 'WAVE') return null
  let bytesPerSecond = 0
  for (let at = 12; ; ) {
    const [name, size] = [tag(view, at), view.getUint32(at + 4, true)]
    if (name === 'fmt ') bytesPerSecond = view.getUint32(at + 16, true)
    if (name === 'data') {
      const complete = at + 8 + size <= view.byteLength && bytesPerSecond > 0
      return complete ? { duration_seconds: size / bytesPerSecond } : null
    }
    at += 8 + size + (size % 2)
  }
}

/** The picture's size and the length of the video track (ISO/IEC 14496-12: tkhd and mdhd). */
function mp4Facts(view: DataView): Facts | null {
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
    return {
      duration_seconds: mediaSeconds(view, length.start),
      // The last two fields of tkhd, 16.16 fixed point.
      width: view.getUint32(header.end - 8) / 65_536,
      height: view.getUint32(header.end - 4) / 65_536,
    }
  }
  return null
}

/** Version 1 of mdhd has 64-bit times. */
function mediaSeconds(view: DataView, start: number): number {
  if (view.getUint8(start) === 1)
    return Number(view.getBigUint64(start + 24)) / view.getUint32(start + 20)
  return view.getUint32(start + 16) / view.getUint32(start + 12)
}

interface Box {
  type: string
  /** Of the content. */
  start: number
  end: number
}

function boxes(view: DataView, from: number, to: number): Box[] {
  const found: Box[] = []
  for (let at = from; at + 8 <= to; ) {
    const small = view.getUint32(at)
    const head = small === 1 ? 16 : 8
    const size = small === 1 ? Number(view.getBigUint64(at + 8)) : small || to - at
    if (size < head || at + size > to) break
    found.push({ type: tag(view, at + 4), start: at + head, end: at + size })
    at += size
  }
  return found
}

function tag(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(at + i)))
}
