// Renders a fixed snapshot to sound, picture and film, then seals and verifies the day (FORMAT.md 8, 12).

import { isSystemError } from '../archive/base/system-error.ts'
import { asWriteError } from '../archive/errors.ts'
import { sha256Of } from '../archive/format/hash.ts'
import {
  composeManifest,
  type Manifest,
  type Medium,
  mediumEntry,
  type UnavailableReason,
} from '../archive/format/manifest.ts'
import type { MediaKind } from '../archive/format/media.ts'
import { FULL_SELECTION } from '../archive/format/mirror.ts'
import { daySpan } from '../archive/format/paths.ts'
import type { Snapshot } from '../archive/format/snapshot.ts'
import type { Place } from '../archive/place/place.ts'
import { checkDay } from '../archive/verify/day.ts'
import { surveyOf } from '../archive/verify/find-days.ts'
import { isNote } from '../archive/verify/findings.ts'
import { logDay } from './log.ts'
import { FfmpegError } from './render/ffmpeg.ts'
import { renderFilm } from './render/film.ts'
import { FfmpegShortage } from './render/find-ffmpeg.ts'
import { FontError } from './render/png.ts'
import type { Rendering } from './render/rendering.ts'
import type { Sound } from './render/sound.ts'
import { type Pipeline, toolsHere } from './session.ts'
import { withWorkFolder } from './work-folder.ts'

/** A rendered media file, or the reason why there is none. */
type Attempt = Rendering | { reason: UnavailableReason; message: string }

/** A day that is ready to be sealed. */
export interface RenderedDay {
  snapshot: Snapshot
  sound: Sound
  picture: Attempt
  film: Attempt
}

/**
 * Renders a fixed snapshot. Picture and film may fail; the sound is required.
 * @throws when the sound is incorrect, or for a failure that the next run may not have: a full disk, a missing font, a
 *   killed process
 */
export async function renderDay(pipeline: Pipeline, snapshot: Snapshot): Promise<RenderedDay> {
  const { onProgress } = pipeline
  const { day } = snapshot
  onProgress(day, 'sound', 0)
  const sound = pipeline.renderSound(snapshot)
  onProgress(day, 'picture', 0)
  const picture = await attempt(pipeline, () => pipeline.renderPicture(snapshot))
  onProgress(day, 'film', 0)
  const film = await attemptFilm(pipeline, snapshot, sound, picture)
  return { snapshot, sound, picture, film }
}

/**
 * Publishes a rendered day.
 * @returns which media files are missing and why, for messages
 * @throws when the day cannot be sealed, or fails verification afterwards
 */
export async function sealDay(pipeline: Pipeline, rendered: RenderedDay): Promise<string[]> {
  const { writer, signal, onProgress } = pipeline
  const { snapshot, sound, picture, film } = rendered
  const { day } = snapshot
  signal.throwIfAborted()
  onProgress(day, 'seal', 0)
  const manifest = manifestOf(pipeline, rendered)
  pipeline.log.refuseOther(manifest)
  for (const [kind, { bytes }] of renderedMedia(rendered)) await writer.putMedium(day, kind, bytes)
  signal.throwIfAborted()
  await writer.seal(manifest)
  await logDay(pipeline.log, day)
  onProgress(day, 'verify', 0)
  await refuseDamaged(pipeline.place, day, sound)
  return Object.entries({ picture, film }).flatMap(([name, attempt]) =>
    'reason' in attempt ? [`no ${name}: ${attempt.message}`] : [],
  )
}

async function attemptFilm(
  pipeline: Pipeline,
  snapshot: Snapshot,
  sound: Rendering,
  picture: Attempt,
): Promise<Attempt> {
  const { ffmpeg, ffmpegShortage, workDir, signal, onProgress } = pipeline
  const { day } = snapshot
  if (ffmpegShortage) return withoutFfmpeg(pipeline, day, ffmpegShortage, 'ffmpeg_not_found')
  if (!ffmpeg) return { reason: 'ffmpeg_not_found', message: 'no ffmpeg was found' }
  if ('reason' in picture) return { reason: 'render_failed', message: 'it needs the picture' }
  const progress = (fraction: number) => onProgress(day, 'film', fraction)
  return attempt(pipeline, () =>
    withWorkFolder(workDir, day, (folder) =>
      renderFilm(
        { snapshot, picture: picture.bytes, sound: sound.bytes, folder },
        { ffmpeg, signal, onProgress: progress },
      ),
    ),
  ).catch((error) => {
    if (error instanceof FfmpegShortage) return withoutFfmpeg(pipeline, day, error, 'render_failed')
    throw error
  })
}

/** How long after its end a day waits for an ffmpeg that cannot be run at the moment [ms]. */
const FFMPEG_WAIT_MS = 24 * 60 * 60 * 1000

/** Gives up the film of a day that has waited for an ffmpeg long enough. @throws the shortage, if it has not */
function withoutFfmpeg(
  { clock }: Pipeline,
  day: string,
  shortage: FfmpegShortage,
  reason: UnavailableReason,
): Attempt {
  if (clock.now() < daySpan(day).to + FFMPEG_WAIT_MS)
    throw new Error(`left to the next run, as no ffmpeg can be run now: ${shortage.message}`, {
      cause: shortage,
    })
  return { reason, message: shortage.message }
}

async function attempt(
  { signal, workDir }: Pipeline,
  render: () => Promise<Rendering>,
): Promise<Attempt> {
  signal.throwIfAborted()
  try {
    return await render()
  } catch (error) {
    signal.throwIfAborted()
    if (isFinal(error as Error))
      return { reason: 'render_failed', message: (error as Error).message }
    throw isSystemError(error) ? asWriteError(error, workDir) : error
  }
}

/**
 * Whether another run would fail in the same way. A full disk, a killed process and a missing font are
 * temporary, and must not be sealed as `render_failed` for good.
 */
function isFinal(error: Error): boolean {
  if (error instanceof FontError || error instanceof FfmpegShortage) return false
  return error instanceof FfmpegError ? error.code === 'failed' : !('syscall' in error)
}

/** Composes the manifest of a rendered day, with the current tools. */
export function manifestOf(pipeline: Pipeline, { snapshot, ...attempts }: RenderedDay): Manifest {
  const entry = (kind: MediaKind, attempt: Attempt): Medium => {
    if ('reason' in attempt) return { available: false, reason: attempt.reason }
    const { bytes, properties } = attempt
    const file = { sha256: sha256Of(bytes), bytes: bytes.length }
    return mediumEntry(snapshot.day, kind, file, properties)
  }
  const media = {
    wav: entry('wav', attempts.sound),
    mp4: entry('mp4', attempts.film),
    png: entry('png', attempts.picture),
  }
  return composeManifest(snapshot, media, toolsHere(pipeline))
}

/** The media files of a rendered day, without those that failed. */
function renderedMedia({ sound, film, picture }: RenderedDay): [MediaKind, Rendering][] {
  const attempts: [MediaKind, Attempt][] = [
    ['wav', sound],
    ['mp4', film],
    ['png', picture],
  ]
  return attempts.flatMap(([kind, attempt]) => ('reason' in attempt ? [] : [[kind, attempt]]))
}

/** Verifies the published day as any verifier would. @throws Error with the findings */
async function refuseDamaged(place: Place, day: string, { decoding }: Sound): Promise<void> {
  const survey = await surveyOf(place, FULL_SELECTION)
  // The hash is checked, so the sound need not be decoded a second time.
  const { findings } = await checkDay(place, survey, day, { decode: () => decoding })
  const faults = findings.filter((finding) => !isNote(finding))
  if (faults.length === 0) return
  const list = faults.map(({ file, message }) => `${file} ${message}`)
  throw new Error(`was published but is damaged: ${list.join('; ')}`)
}
