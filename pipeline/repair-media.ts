// Renders missing or damaged media files of a published day, and restores those that match the published bytes.
import { ArchiveError } from '../archive/errors.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { type Manifest, type Medium, type Tools, toolsOf } from '../archive/format/manifest.ts'
import type { MediaKind } from '../archive/format/media.ts'
import { renderFilm } from './render/film.ts'
import type { Ffmpeg } from './render/find-ffmpeg.ts'
import { FIRST_RENDERER, RENDERER, type Rendering } from './render/rendering.ts'
import { type Pipeline, toolsHere } from './session.ts'
import { withWorkFolder } from './work-folder.ts'

/** The content of a day's media files that were intact or have been restored. */
export type Intact = Partial<Record<MediaKind, Uint8Array>>

/**
 * Restores a media file unless it is intact, and adds its content to `intact`. Renders an unavailable one if possible.
 * @returns whether the file was restored or has become available
 * @throws Error naming the kind, and why the published bytes could not be reproduced
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
  if (published) return false
  const { ffmpeg, ffmpegShortage } = pipeline
  if (!medium.available && kind === 'mp4' && !ffmpeg && !ffmpegShortage) return false
  try {
    intact[kind] = medium.available
      ? await restoreMedium(pipeline, manifest, kind, intact)
      : await addMedium(pipeline, manifest, kind, intact)
    return true
  } catch (error) {
    throw new Error(`${kind}: ${(error as Error).message}`, { cause: error })
  }
}

/** Reads a media file; null when it is unavailable, missing or damaged. */
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
  const { writer, ffmpeg, ffmpegShortage } = pipeline
  if (kind === 'mp4' && ffmpegShortage) throw ffmpegShortage
  const { bytes, properties } = await render(pipeline, manifest, kind, intact, ffmpeg)
  await writer.addMedium(manifest.day, kind, bytes, properties, toolsHere(pipeline))
  return bytes
}

/** Renders a published media file again; for a film, tries each ffmpeg that may have encoded it. */
async function restoreMedium(
  pipeline: Pipeline,
  manifest: Manifest,
  kind: MediaKind,
  intact: Intact,
): Promise<Uint8Array> {
  const tools = toolsOf(manifest, kind)
  // The sound does not depend on the renderer.
  if (kind !== 'wav' && !isOurs(tools))
    throw new Error(
      `was drawn by renderer ${rendererOf(tools)}, and this is renderer ${RENDERER}; restore it from a copy`,
    )
  const ffmpegs = kind === 'mp4' ? ffmpegsFor(pipeline, tools) : [null]
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
    `rendered again, it differs from the published file; ` +
      `it was made with ${listOf(tools)}; this run has ${listOf(toolsHere(pipeline))}`,
  )
}

/**
 * Finds every ffmpeg of the version that encoded a film, or all if the manifest does not name the version.
 * @throws Error naming the versions when there is none
 */
function ffmpegsFor({ ffmpegs }: Pipeline, { ffmpeg: version }: Tools): Ffmpeg[] {
  const all = ffmpegs()
  const matching = all.filter((ffmpeg) => version === null || ffmpeg.version === version)
  if (matching.length > 0) return matching
  const here = all.map((ffmpeg) => ffmpeg.version).join(', ')
  throw new Error(
    `needs ffmpeg ${version ?? 'of any version'} to be rendered again; ` +
      (here === '' ? 'no ffmpeg was found' : `found: ${here}`),
  )
}

async function render(
  { renderSound, renderPicture, workDir, signal, onProgress }: Pipeline,
  manifest: Manifest,
  kind: MediaKind,
  intact: Intact,
  ffmpeg: Ffmpeg | null,
): Promise<Rendering> {
  const { day, snapshot } = manifest
  if (kind === 'wav') return renderSound(snapshot)
  if (kind === 'png') return renderPicture(snapshot)
  if (!ffmpeg) throw new Error('no ffmpeg was found')
  // A film uses the day's published picture, but not one that another renderer drew.
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
