// Renders the film of a day: its tones light up as they sound, and once they are enough the numbers appear.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { slotsNeeded } from '../../archive/drawing/enough.ts'
import { fieldsOf, type Snapshot } from '../../archive/format/snapshot.ts'
import { encodeFrame, SAMPLE_RATE } from '../../protocol/index.ts'
import { gridOf } from './chord-figure.ts'
import { FfmpegError, type FfmpegJob, runFfmpeg } from './ffmpeg.ts'
import { FRAME_RATE, FRAMES, filmFilter, timelineOf } from './film-filter.ts'
import { listeningStill, partsStill, tilesStill, turnStill, wordsStill } from './film-stills.ts'
import { wordsOf } from './film-words.ts'
import type { Ffmpeg } from './find-ffmpeg.ts'
import { PICTURE } from './layout.ts'
import type { Rendering } from './rendering.ts'

export interface FilmParts {
  snapshot: Snapshot
  /** The PNG and the WAV file of the day. */
  picture: Uint8Array
  sound: Uint8Array
  /** An empty folder for temporary files, which the caller removes. */
  folder: string
}

export interface FilmOptions {
  ffmpeg: Ffmpeg
  signal?: AbortSignal
  /** Called with the fraction that is done, 0 to 1. */
  onProgress?(fraction: number): void
}

/**
 * Renders H.264 and AAC in an MP4 that plays while it loads. The bytes depend only on the snapshot, the picture, the
 * sound and the build of ffmpeg.
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

/** Writes the film's stills and sound into its folder. @returns the ffmpeg job that renders them */
export async function prepareFilm(parts: FilmParts): Promise<FfmpegJob> {
  const { snapshot, picture, sound, folder } = parts
  const enough = slotsNeeded(encodeFrame(fieldsOf(snapshot)))
  const files = {
    'picture.png': picture,
    'listening.png': await listeningStill(snapshot),
    'turn.png': await turnStill(snapshot, enough),
    'parts.png': await partsStill(snapshot, enough),
    'tiles.png': await tilesStill(snapshot),
    'words.png': await wordsStill(snapshot),
    'sound.wav': sound,
  }
  for (const [name, bytes] of Object.entries(files)) await writeFile(join(folder, name), bytes)
  return {
    inputs: Object.keys(files).map((name) => join(folder, name)),
    filter: filmFilter(timelineOf(enough), gridOf(snapshot.counters), wordsOf(snapshot).length),
    options: [...VIDEO_OPTIONS, ...AUDIO_OPTIONS, ...FILE_OPTIONS],
    output: join(folder, 'day.mp4'),
  }
}

/**
 * A constant quantizer needs no lookahead and does not refine still areas again. Without B-frames, from which stills
 * gain nothing, encoding is a fifth faster.
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

/** Takes the tones, which are as loud as the WAV format allows, to the loudness of podcasts: -16 LUFS. */
const VOLUME = '-af volume=-8.6dB'

const AUDIO_OPTIONS = ['-map 6:a', VOLUME, '-c:a aac', '-b:a 128k', '-ac 1', `-ar ${SAMPLE_RATE}`]

/** Reproducible output: one thread, and no encoder names, dates or settings in the file. */
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

/** With less free disk space than this [bytes], a failure is blamed on the disk, as ffmpeg has no code for that. */
const DISK_RESERVE = 1 << 20

/**
 * Throws the disk's error if there is one, else ffmpeg's. The next run retries a film that failed for lack of space;
 * any other failure is final.
 */
async function blameDisk(error: unknown, folder: string): Promise<never> {
  if (error instanceof FfmpegError && error.code === 'failed')
    await writeFile(join(folder, 'reserve'), new Uint8Array(DISK_RESERVE), { flush: true })
  throw error
}
