// Renders a media file of a published day again, and restores it where the bytes are those that were published.
import { ArchiveError } from '../archive/errors.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { type Manifest, type Medium, type Tools, toolsOf } from '../archive/format/manifest.ts'
import type { MediaKind } from '../archive/format/paths.ts'
import { renderFilm } from './render/film.ts'
import type { Ffmpeg } from './render/find-ffmpeg.ts'
import { renderPicture } from './render/picture.ts'
import { FIRST_RENDERER, RENDERER, type Rendering } from './render/rendering.ts'
import { renderSound } from './render/sound.ts'
import { type Pipeline, toolsHere } from './session.ts'
import { withWorkFolder } from './work-folder.ts'

/** The files of a day that are as published, or have been restored. */
export type Intact = Partial<Record<MediaKind, Uint8Array>>

/**
 * Leaves a medium that is as published, and adds it to `intact`; else makes it again.
 * @returns whether a medium had to be restored, or became available
 * @throws Error naming the medium, and why its published bytes could not be made again
 */
export async function repairMedium(
  pipeline: Pipeline,
  manifest: Manifest,
  kind: MediaKind,
  intact: Intact,
): Promise<boolean> {
  const { day } = manifest
  const medium = manifest.media[kind]
  const published = await publishedBytes(pipeline, day, medium)
  if (published) intact[kind] = published
  if (published || (!medium.available && kind === 'mp4' && !pipeline.ffmpeg)) return false
  try {
    intact[kind] = medium.available
      ? await restoreMedium(pipeline, manifest, kind, intact)
      : await addMedium(pipeline, manifest, kind, intact)
    return true
  } catch (error) {
    throw new Error(`${kind}: ${(error as Error).message}`, { cause: error })
  }
}

/** The bytes of a medium that is as its manifest states; null otherwise. */
async function publishedBytes(
  { reader }: Pipeline,
  day: string,
  medium: Medium,
): Promise<Uint8Array | null> {
  if (!medium.available) return null
  try {
    const found = await reader.openMedia(day, medium.filename)
    const bytes = found && (await new Response(await found.open()).bytes())
    return bytes && sha256Of(bytes) === medium.sha256 ? bytes : null
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'invalid_medium') return null
    throw error
  }
}

async function addMedium(
  pipeline: Pipeline,
  manifest: Manifest,
  kind: MediaKind,
  intact: Intact,
): Promise<Uint8Array> {
  const { bytes, properties } = await render(pipeline, manifest, kind, intact, pipeline.ffmpeg)
  const { writer } = pipeline
  await writer.addMedium(manifest.day, kind, bytes, properties, toolsHere(pipeline))
  return bytes
}

/** Renders a published medium again, a film with each ffmpeg that may have made it. */
async function restoreMedium(
  pipeline: Pipeline,
  manifest: Manifest,
  kind: MediaKind,
  intact: Intact,
): Promise<Uint8Array> {
  const made = toolsOf(manifest, kind)
  // The sound is the protocol's, whatever draws.
  if (kind !== 'wav' && !isOurs(made))
    throw new Error(
      `was drawn by renderer ${rendererOf(made)}, and this is ${RENDERER}: restore it from a copy`,
    )
  const ffmpegs = kind === 'mp4' ? ffmpegsFor(pipeline, made) : [null]
  for (const ffmpeg of ffmpegs) {
    const { bytes } = await render(pipeline, manifest, kind, intact, ffmpeg)
    try {
      await pipeline.writer.repair(manifest.day, kind, bytes)
      return bytes
    } catch (error) {
      if (!(error instanceof ArchiveError) || error.code !== 'repair_mismatch') throw error
    }
  }
  throw new Error(
    `rendered again it has other bytes than were published; ` +
      `it was made with ${listOf(made)}; here are ${listOf(toolsHere(pipeline))}`,
  )
}

/**
 * Every ffmpeg of the version that made a film; all where the manifest does not name it.
 * @throws Error naming the versions when there is none
 */
function ffmpegsFor({ ffmpegs }: Pipeline, { ffmpeg: version }: Tools): Ffmpeg[] {
  const all = ffmpegs()
  const fitting = all.filter((ffmpeg) => version === null || ffmpeg.version === version)
  if (fitting.length > 0) return fitting
  const here = all.map((ffmpeg) => ffmpeg.version).join(', ')
  throw new Error(
    `needs ffmpeg ${version ?? 'of any version'} to be rendered again; ` +
      (here === '' ? 'no ffmpeg was found' : `found: ${here}`),
  )
}

async function render(
  { workDir, signal, onProgress }: Pipeline,
  manifest: Manifest,
  kind: MediaKind,
  intact: Intact,
  ffmpeg: Ffmpeg | null,
): Promise<Rendering> {
  const { day, snapshot } = manifest
  if (kind === 'wav') return renderSound(snapshot)
  if (kind === 'png') return renderPicture(snapshot)
  if (!ffmpeg) throw new Error('no ffmpeg was found')
  // A film that is added to an older day moves over its own picture, not over one that was drawn otherwise.
  const published = isOurs(toolsOf(manifest, 'png')) ? intact.png : undefined
  const picture = published ?? (await renderPicture(snapshot)).bytes
  const sound = intact.wav ?? renderSound(snapshot).bytes
  const progress = (fraction: number) => onProgress(day, 'film', fraction)
  return withWorkFolder(workDir, day, (folder) =>
    renderFilm({ snapshot, picture, sound, folder }, { ffmpeg, signal, onProgress: progress }),
  )
}

const rendererOf = ({ renderer = FIRST_RENDERER }: Tools): string => renderer

const isOurs = (tools: Tools): boolean => rendererOf(tools) === RENDERER

const listOf = (tools: Tools): string =>
  `renderer ${rendererOf(tools)}, node ${tools.node}, sharp ${tools.sharp}, ffmpeg ${tools.ffmpeg ?? 'none'}`
