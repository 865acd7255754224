// Renders a fixed snapshot to sound, picture and film, then seals and verifies the day (FORMAT.md 8, WRITING.md 1).
import { asWriteError } from '../../archive/base/errors.ts'
import { isSystemError } from '../../archive/base/system-error.ts'
import { daySpan } from '../../archive/format/calendar.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import {
  composeManifest,
  type Manifest,
  type Medium,
  mediumEntry,
  type UnavailableReason,
} from '../../archive/format/manifest.ts'
import { byKind, MEDIA, type MediaKind } from '../../archive/format/media.ts'
import { FULL_SELECTION } from '../../archive/format/mirror.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { Place } from '../../archive/place/place.ts'
import { checkDay } from '../../archive/verify/day.ts'
import { surveyOf } from '../../archive/verify/find-days.ts'
import { isNote } from '../../archive/verify/findings.ts'
import { FfmpegError } from '../render/ffmpeg.ts'
import { FfmpegShortage } from '../render/find-ffmpeg.ts'
import { FontError } from '../render/png.ts'
import type { Rendering } from '../render/rendering.ts'
import type { Sound } from '../render/sound.ts'
import { type Run, toolsHere } from '../run/session.ts'
import { logDay } from '../run/signed-log.ts'
import { requireLeaves } from './keep-leaves.ts'
import { type Parts, RENDER_ORDER, RENDERERS } from './renderers.ts'

/** A rendered media file, or the reason why there is none. */
type Attempt = Rendering | { reason: UnavailableReason; message: string }

type Attempts = Partial<Record<MediaKind, Attempt>>

/** A day that is ready to be sealed. */
export interface RenderedDay {
  snapshot: Snapshot
  attempts: Readonly<Attempts> & { readonly wav: Sound }
}

/**
 * Renders a fixed snapshot. All media but the sound may fail; the sound is required.
 * @throws when the sound is incorrect, or for a failure that the next run may not have: a full disk, a missing font, a
 *   killed process
 */
export async function renderDay(run: Run, snapshot: Snapshot): Promise<RenderedDay> {
  const { report, tools } = run
  const { day } = snapshot
  report.progress(day, 'sound', 0)
  const attempts: RenderedDay['attempts'] & Attempts = { wav: tools.renderSound(snapshot) }
  for (const kind of RENDER_ORDER.filter((kind) => kind !== 'wav')) {
    report.progress(day, RENDERERS[kind].stage, 0)
    attempts[kind] = await attemptMedium(run, snapshot, kind, attempts)
  }
  return { snapshot, attempts }
}

/**
 * Publishes a rendered day.
 * @returns which media files are missing and why, for messages
 * @throws when the day cannot be sealed, or fails verification afterwards
 */
export async function sealDay(run: Run, rendered: RenderedDay): Promise<string[]> {
  const { archive, signal, report } = run
  const { snapshot, attempts } = rendered
  const { day } = snapshot
  signal.throwIfAborted()
  report.progress(day, 'seal', 0)
  const manifest = manifestOf(run, rendered)
  run.log.refuseOther(manifest)
  for (const [kind, attempt] of byKind(attempts))
    if (!('reason' in attempt)) await archive.writer.putMedium(day, kind, attempt.bytes)
  signal.throwIfAborted()
  await requireLeaves(run, snapshot)
  await archive.writer.seal(manifest)
  await logDay(run.log, day)
  report.progress(day, 'verify', 0)
  await refuseDamaged(run.archive.place, day, attempts.wav)
  return RENDER_ORDER.flatMap((kind) => {
    const attempt = attempts[kind]
    return attempt && 'reason' in attempt ? [`no ${nameOf(kind)}: ${attempt.message}`] : []
  })
}

/** The name of a kind within a sentence. */
const nameOf = (kind: MediaKind): string => MEDIA[kind].name.toLowerCase()

/** @param attempts at the kinds before it */
async function attemptMedium(
  run: Run,
  snapshot: Snapshot,
  kind: MediaKind,
  attempts: Readonly<Attempts>,
): Promise<Attempt> {
  const { ffmpeg, ffmpegShortage } = run.tools
  const { needs, isEncoded, render } = RENDERERS[kind]
  const { day } = snapshot
  if (isEncoded && ffmpegShortage)
    return withoutFfmpeg(run, day, ffmpegShortage, 'ffmpeg_not_found')
  if (isEncoded && !ffmpeg) return { reason: 'ffmpeg_not_found', message: 'no ffmpeg was found' }
  const parts: Parts = {}
  for (const part of needs) {
    const made = attempts[part]
    if (!made || 'reason' in made)
      return { reason: 'render_failed', message: `it needs the ${nameOf(part)}` }
    parts[part] = made.bytes
  }
  run.signal.throwIfAborted()
  try {
    return await render(run, { snapshot, parts })
  } catch (error) {
    run.signal.throwIfAborted()
    if (error instanceof FfmpegShortage) return withoutFfmpeg(run, day, error, 'render_failed')
    if (isFinal(error as Error))
      return { reason: 'render_failed', message: (error as Error).message }
    throw isSystemError(error) ? asWriteError(error, run.archive.workDir) : error
  }
}

/** How long after its end a day waits for an ffmpeg that cannot be run at the moment [ms]. */
const FFMPEG_WAIT_MS = 24 * 60 * 60 * 1000

/** Gives up the film of a day that has waited for an ffmpeg long enough. @throws the shortage, if it has not */
function withoutFfmpeg(
  { clock }: Run,
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

/**
 * Whether another run would fail in the same way. A full disk, a killed process and a missing font are
 * temporary, and must not be sealed as `render_failed` for good.
 */
function isFinal(error: Error): boolean {
  if (error instanceof FontError) return false
  return error instanceof FfmpegError ? error.code === 'failed' : !('syscall' in error)
}

/** Composes the manifest of a rendered day, with the current tools. */
function manifestOf(run: Run, { snapshot, attempts }: RenderedDay): Manifest {
  const entryOf = (kind: MediaKind, attempt: Attempt): Medium => {
    if ('reason' in attempt) return { available: false, reason: attempt.reason }
    const { bytes, properties } = attempt
    const file = { sha256: sha256Of(bytes), bytes: bytes.length }
    return mediumEntry(snapshot.day, kind, file, properties)
  }
  const media = byKind(attempts).map(([kind, attempt]) => [kind, entryOf(kind, attempt)])
  return composeManifest(snapshot, Object.fromEntries(media), toolsHere(run.tools))
}

/** Verifies the published day as any verifier would. @throws Error with the findings */
async function refuseDamaged(place: Place, day: string, sound: Sound): Promise<void> {
  const survey = await surveyOf(place, FULL_SELECTION)
  // The hash is checked, so the sound need not be decoded a second time.
  const { findings } = await checkDay(place, survey, day, { decode: () => sound.decoding })
  const faults = findings.filter((finding) => !isNote(finding))
  if (faults.length === 0) return
  const list = faults.map(({ file, message }) => `${file} ${message}`)
  throw new Error(`was published but is damaged: ${list.join('; ')}`)
}
