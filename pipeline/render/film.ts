// A day as a film: its tones light up as they sound, and once they are enough the day appears.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fieldsOf, type Snapshot } from '../../archive/format/snapshot.ts'
import { encodeFrame, SAMPLE_RATE } from '../../protocol/index.ts'
import { gridOf } from './chord-figure.ts'
import { slotsEnough } from './enough.ts'
import { FfmpegError, type FfmpegJob, runFfmpeg } from './ffmpeg.ts'
import { filmFilter } from './film-filter.ts'
import { listeningStill, partsStill } from './film-stills.ts'
import { FRAME_RATE, FRAMES, timelineOf } from './film-timeline.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'
import { PICTURE } from './layout.ts'
import type { Rendering } from './rendering.ts'

/** What a film is made of. */
export interface FilmParts {
  snapshot: Snapshot
  /** The files of the picture and the sound. */
  picture: Uint8Array
  sound: Uint8Array
  /** An empty folder for temporary files, which the caller removes. */
  folder: string
}

export interface FilmOptions {
  ffmpeg: Ffmpeg
  signal?: AbortSignal
  /** Is called with the part that is done, 0 to 1. */
  onProgress?(fraction: number): void
}

/**
 * H.264 and AAC in an MP4 that plays while it loads. The bytes depend on the snapshot, the picture, the sound and the
 * build of ffmpeg alone.
 * @throws FontError; FfmpegError when ffmpeg fails or is killed, the signal's reason when aborted, and the
 *   system's error when the disk is full or cannot be written
 */
export async function renderFilm(
  parts: FilmParts,
  { ffmpeg, signal, onProgress }: FilmOptions,
): Promise<Rendering> {
  const job = await prepareFilm(parts)
  await runFfmpeg(ffmpeg, job, {
    ...(signal && { signal }),
    onFrame: (frames) => onProgress?.(Math.min(1, frames / FRAMES)),
  }).catch((error) => blameDisk(error, parts.folder))
  const bytes = await readFile(job.output)
  return { bytes, properties: { duration_seconds: FRAMES / FRAME_RATE, ...PICTURE } }
}

/** Writes the film's stills and sound into its folder. @returns what ffmpeg is to make of them */
export async function prepareFilm(parts: FilmParts): Promise<FfmpegJob> {
  const { snapshot, picture, sound, folder } = parts
  const enough = slotsEnough(encodeFrame(fieldsOf(snapshot)))
  const files = {
    'picture.png': picture,
    'listening.png': await listeningStill(snapshot, enough),
    'parts.png': await partsStill(snapshot, enough),
    'sound.wav': sound,
  }
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  return {
    inputs: Object.keys(files).map((name) => ({ path: join(folder, name), options: [] })),
    filter: filmFilter(timelineOf(enough), gridOf(snapshot.counters)),
    options: [...VIDEO_OPTIONS, ...AUDIO_OPTIONS, ...FILE_OPTIONS],
    output: join(folder, 'day.mp4'),
  }
}

/**
 * A constant quantiser needs no look ahead, and does not refine again what stands still. No B frames: a still gains
 * nothing from them, and encodes a fifth faster without.
 */
const VIDEO_OPTIONS = [
  '-map [video]',
  `-r ${FRAME_RATE}`,
  '-c:v libx264',
  '-preset ultrafast',
  '-qp 18',
  '-bf 0',
  '-pix_fmt yuv420p',
  '-color_range tv',
  '-colorspace bt709',
  '-color_primaries bt709',
  '-color_trc bt709',
]

const AUDIO_OPTIONS = ['-map 3:a', '-c:a aac', '-b:a 128k', '-ac 1', `-ar ${SAMPLE_RATE}`]

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
