// A day as a film: its transmission heard, and a playhead that moves over its picture.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { SAMPLE_RATE } from '../../protocol/index.ts'
import { FfmpegError, type FfmpegJob, runFfmpeg } from './ffmpeg.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'
import { loadSharp } from './font.ts'
import { PICTURE, PLOT } from './layout.ts'
import { RENDERER, type Rendering } from './rendering.ts'
import { TRANSMISSION_SECONDS } from './sound.ts'
import { element, svgFile } from './svg.ts'

interface Encoding {
  /** Frames a second. */
  frameRate: number
  options: readonly string[]
}

/**
 * How each renderer encodes its films; those of earlier ones are restored with theirs. A constant
 * quantiser needs no look ahead, and does not refine again what stands still: the second takes a
 * quarter of the processor time of the first for a film of the same size and likeness.
 */
const ENCODINGS: Readonly<Record<string, Encoding>> = {
  '1': { frameRate: 25, options: ['-preset veryfast', '-crf 18'] },
  '2': { frameRate: 12.5, options: ['-preset ultrafast', '-qp 18'] },
}

/** Whether films of this renderer can be made. */
export const canRenderAs = (renderer: string): boolean => Object.hasOwn(ENCODINGS, renderer)

/** Frames until the sound has ended: the last one reaches a little past it. */
const framesAt = (frameRate: number): number => Math.ceil(TRANSMISSION_SECONDS * frameRate)

export interface FilmParts {
  /** The files of the picture and the sound. */
  picture: Uint8Array
  sound: Uint8Array
  ffmpeg: Ffmpeg
  /** The renderer whose film it is to be, by default the present one. */
  renderer?: string
  /** An empty folder for temporary files, which the caller removes. */
  folder: string
  signal?: AbortSignal
  /** Is called with the part that is done, 0 to 1. */
  onProgress?(fraction: number): void
}

/**
 * H.264 and AAC in an MP4 that plays while it loads. The bytes depend on the picture, the sound, the
 * renderer and the build of ffmpeg alone.
 * @throws FfmpegError when ffmpeg fails or is killed, the signal's reason when aborted, and the
 *   system's error when the disk is full or cannot be written
 */
export async function renderFilm(parts: FilmParts): Promise<Rendering> {
  const { folder, ffmpeg, signal, onProgress } = parts
  const encoding = encodingOf(parts.renderer)
  const frameCount = framesAt(encoding.frameRate)
  const job = filmJob(folder, parts.renderer)
  const [picture, playhead, sound] = job.inputs
  await writeFile(picture!.path, parts.picture)
  await writeFile(playhead!.path, await playheadPng())
  await writeFile(sound!.path, parts.sound)
  await runFfmpeg(ffmpeg, job, {
    ...(signal && { signal }),
    onFrame: (frames) => onProgress?.(Math.min(1, frames / frameCount)),
  }).catch((error) => blameDisk(error, folder))
  const bytes = await readFile(job.output)
  return { bytes, properties: { duration_seconds: frameCount / encoding.frameRate, ...PICTURE } }
}

function encodingOf(renderer = RENDERER): Encoding {
  const encoding = ENCODINGS[renderer]
  if (!encoding) throw new RangeError(`there is no renderer ${renderer}`)
  return encoding
}

/** Less than this left on the disk may have stopped ffmpeg, which has no code of its own for that [bytes]. */
const DISK_RESERVE = 1 << 20

/**
 * Throws the disk's error where there is one, else ffmpeg's: a film that failed for want of space is
 * made by the next run, any other failure is final.
 */
async function blameDisk(error: unknown, folder: string): Promise<never> {
  if (error instanceof FfmpegError && error.code === 'failed')
    await writeFile(join(folder, 'reserve'), new Uint8Array(DISK_RESERVE), { flush: true })
  throw error
}

/** The playhead's light falls behind it; its own line is two pixels wide. */
const PLAYHEAD = { trail: 46, line: 2, handle: 8 }

/** The job of ffmpeg for a day: inputs picture, playhead and sound, all files in `folder`. */
export function filmJob(folder: string, renderer?: string): FfmpegJob {
  const encoding = encodingOf(renderer)
  return {
    inputs: ['picture.png', 'playhead.png', 'sound.wav'].map((name) => ({
      path: join(folder, name),
      options: [],
    })),
    filter: videoFilter(encoding),
    options: [...videoOptions(encoding), ...AUDIO_OPTIONS, ...FILE_OPTIONS],
    output: join(folder, 'day.mp4'),
  }
}

/**
 * Each still is decoded and turned to BT.709 once, then repeated just as often as needed: an endless one with a limit
 * of frames would end the sound together with the picture, half a second early. The playhead stands at each frame's time.
 * It moves over a copy of the plot alone, so that its light does not fall on the labels.
 * 4:2:0 lets an overlay begin at even pixels only: the line is two pixels wide, so it still covers the exact place.
 */
function videoFilter({ frameRate }: Encoding): string {
  const still = (format: string) =>
    `scale=out_color_matrix=bt709:out_range=tv,format=${format},loop=loop=${framesAt(frameRate) - 1}:size=1,setpts=N/${frameRate}/TB`
  const { x, y, width, height } = PLOT
  const left = `t*${width}/${TRANSMISSION_SECONDS}-${PLAYHEAD.trail}`
  return [
    `[0:v]${still('yuv420p')},split[picture][copy]`,
    `[1:v]${still('yuva420p')}[playhead]`,
    `[copy]crop=${width}:${height}:${x}:${y}[plot]`,
    `[plot][playhead]overlay=x=${left}:y=0:format=yuv420[played]`,
    `[picture][played]overlay=x=${x}:y=${y}:format=yuv420[video]`,
  ].join(';')
}

/** No B frames: a still gains nothing from them, and encodes a fifth faster without. */
const videoOptions = ({ frameRate, options }: Encoding): string[] => [
  '-map [video]',
  `-r ${frameRate}`,
  '-c:v libx264',
  ...options,
  '-bf 0',
  '-pix_fmt yuv420p',
  '-color_range tv',
  '-colorspace bt709',
  '-color_primaries bt709',
  '-color_trc bt709',
]

const AUDIO_OPTIONS = ['-map 2:a', '-c:a aac', '-b:a 128k', '-ac 1', `-ar ${SAMPLE_RATE}`]

/** The same bytes at each run: one thread, and no names, dates or settings of encoders in the file. */
const FILE_OPTIONS = [
  '-threads 1',
  '-map_metadata -1',
  '-map_chapters -1',
  '-fflags +bitexact',
  '-flags:v +bitexact',
  '-flags:a +bitexact',
  '-bsf:v filter_units=remove_types=6',
  '-movflags +faststart',
  '-f mp4',
]

/** The playhead: a white line of the plot's height, small handles at its ends, and a fading light to its left. */
export async function playheadPng(): Promise<Buffer> {
  const { trail, line, handle } = PLAYHEAD
  const width = trail + line + handle
  const { height } = PLOT
  const centre = trail + line / 2
  const stop = (offset: number, opacity: number) =>
    element('stop', { offset, 'stop-color': '#ffffff', 'stop-opacity': opacity })
  const triangle = (edge: number, tip: number) =>
    element('path', {
      d: `M${centre - handle} ${edge}H${centre + handle}L${centre} ${tip}Z`,
      fill: '#ffffff',
    })
  const content =
    element('linearGradient', { id: 'light' }, stop(0, 0) + stop(1, 0.22)) +
    element('rect', { width: trail, height, fill: 'url(#light)' }) +
    element('rect', { x: trail, y: 0, width: line, height, fill: '#ffffff' }) +
    triangle(0, handle + 2) +
    triangle(height, height - handle - 2)
  const sharp = await loadSharp()
  return sharp(svgFile(width, height, content))
    .png()
    .toBuffer()
}
