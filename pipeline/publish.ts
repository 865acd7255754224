// A fixed snapshot -> media -> archive writer -> seal -> verify (FORMAT.md 8, 12).
import { composeManifest, type Medium, type UnavailableReason } from '../archive/format/manifest.ts'
import type { MediaKind } from '../archive/format/paths.ts'
import type { Snapshot } from '../archive/format/snapshot.ts'
import { checkDay } from '../archive/verify/day.ts'
import { isNote } from '../archive/verify/findings.ts'
import { folderSource } from '../archive/verify/folder.ts'
import { type Rendering, renderPicture, renderSound, renderVideo, type Sound } from './media.ts'
import type { Pipeline } from './session.ts'

/** A medium, or why there is none. */
type Attempt = Rendering | { reason: UnavailableReason; message: string }

/**
 * Renders a staged snapshot, and seals the day. A day without picture or video is published all the
 * same, and says so; one whose sound is wrong is not.
 * @returns what is missing and why, for people
 * @throws when the day could not be published, or is not as it should be now
 */
export async function publishDay(pipeline: Pipeline, snapshot: Snapshot): Promise<string[]> {
  const { writer, signal, onProgress, versions, ffmpeg } = pipeline
  const { day } = snapshot
  onProgress(day, 'sound', 0)
  const sound = renderSound(snapshot)
  onProgress(day, 'picture', 0)
  const picture = await attempt(signal, () => renderPicture(snapshot))
  onProgress(day, 'film', 0)
  const video = await attemptVideo(pipeline, day, sound, picture)
  onProgress(day, 'seal', 0)
  const media = {
    wav: await stage(pipeline, day, 'wav', sound),
    mp4: await stage(pipeline, day, 'mp4', video),
    png: await stage(pipeline, day, 'png', picture),
  }
  signal.throwIfAborted()
  const tools = { ...versions, ffmpeg: ffmpeg?.version ?? null }
  await writer.seal(composeManifest(snapshot, media, tools))
  onProgress(day, 'verify', 0)
  await refuseDamaged(pipeline.archiveDir, day, sound)
  return Object.entries({ picture, video }).flatMap(([name, made]) =>
    'reason' in made ? [`no ${name}: ${made.message}`] : [],
  )
}

async function attemptVideo(
  { ffmpeg, archiveDir, signal, onProgress }: Pipeline,
  day: string,
  sound: Rendering,
  picture: Attempt,
): Promise<Attempt> {
  if (!ffmpeg) return { reason: 'ffmpeg_not_found', message: 'no ffmpeg was found' }
  if ('reason' in picture) return { reason: 'render_failed', message: 'it needs the picture' }
  return attempt(signal, () =>
    renderVideo({
      picture: picture.bytes,
      sound: sound.bytes,
      ffmpeg,
      archiveDir,
      signal,
      onProgress: (fraction) => onProgress(day, 'film', fraction),
    }),
  )
}

async function attempt(signal: AbortSignal, render: () => Promise<Rendering>): Promise<Attempt> {
  signal.throwIfAborted()
  try {
    return await render()
  } catch (error) {
    signal.throwIfAborted()
    if (isStorageProblem(error as Error)) throw error
    return { reason: 'render_failed', message: (error as Error).message }
  }
}

/** A full or failing disk is no fault of the renderer: sealed as one, it would be for good. */
const isStorageProblem = ({ message, code }: NodeJS.ErrnoException): boolean =>
  ['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE'].includes(code ?? '') ||
  /No space left on device|Disk quota exceeded|Read-only file system/.test(message)

async function stage(
  { writer }: Pipeline,
  day: string,
  kind: MediaKind,
  made: Attempt,
): Promise<Medium> {
  if ('reason' in made) return { available: false, reason: made.reason }
  return writer.stageMedium(day, kind, made.bytes, made.properties)
}

/** Reads the published day back as an outsider would. @throws Error naming what is wrong */
async function refuseDamaged(archiveDir: string, day: string, { heard }: Sound): Promise<void> {
  const source = folderSource(archiveDir)
  await source.list()
  // The same bytes, as their hash tells, decode to the same again.
  const { findings } = await checkDay(source, day, () => heard)
  const wrong = findings.filter((finding) => !isNote(finding))
  if (wrong.length === 0) return
  const list = wrong.map(({ file, message }) => `${file} ${message}`)
  throw new Error(`was published, and is damaged: ${list.join('; ')}`)
}
