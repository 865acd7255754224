// Renders missing or damaged media files of a published day, and restores those that match the published bytes.
import { isArchiveError } from '../../archive/base/errors.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { type Manifest, type Medium, type Tools, toolsOf } from '../../archive/format/manifest.ts'
import type { MediaKind } from '../../archive/format/media.ts'
import { RENDERER, type Rendering } from '../render/rendering.ts'
import { type Run, type RunTools, toolsHere } from '../run/session.ts'
import { type Parts, RENDERERS } from '../sealing/renderers.ts'

/**
 * Restores a media file unless it is intact. Renders an unavailable one if possible.
 * @param intact the files that were intact or have been restored; this one is added
 * @returns whether the file was restored or has become available
 * @throws Error naming the kind, and why the published bytes could not be reproduced
 */
export async function repairMedium(
  run: Run,
  manifest: Manifest,
  kind: MediaKind,
  intact: Parts,
): Promise<boolean> {
  const { day } = manifest
  const medium: Medium | undefined = manifest.media[kind]
  if (!medium) return false
  const published = await publishedBytes(run, day, medium)
  if (published) {
    intact[kind] = published
    return false
  }
  const { ffmpeg, ffmpegShortage } = run.tools
  if (!medium.available && RENDERERS[kind].isEncoded && !ffmpeg && !ffmpegShortage) return false
  try {
    intact[kind] = medium.available
      ? await restoreMedium(run, manifest, kind, intact)
      : await addMedium(run, manifest, kind, intact)
    return true
  } catch (error) {
    throw new Error(`${kind}: ${(error as Error).message}`, { cause: error })
  }
}

/** Reads a media file; null when it is unavailable, missing or damaged. */
async function publishedBytes({ archive: { reader } }: Run, day: string, medium: Medium) {
  if (!medium.available) return null
  try {
    const found = await reader.openMedia(day, medium.filename)
    const bytes = found && (await new Response(await found.open()).bytes())
    return bytes && sha256Of(bytes) === medium.sha256 ? bytes : null
  } catch (error) {
    if (isArchiveError(error, 'invalid_medium')) return null
    throw error
  }
}

async function addMedium(run: Run, manifest: Manifest, kind: MediaKind, intact: Parts) {
  const { archive, tools } = run
  if (RENDERERS[kind].isEncoded && tools.ffmpegShortage) throw tools.ffmpegShortage
  const { bytes, properties } = await render(run, manifest, kind, intact)
  await archive.writer.addMedium(manifest.day, kind, bytes, properties, toolsHere(tools))
  return bytes
}

/** Renders a published media file again, with the tools that made it. */
async function restoreMedium(run: Run, manifest: Manifest, kind: MediaKind, intact: Parts) {
  const tools = toolsOf(manifest, kind)
  if (!isDrawnHere(manifest, kind))
    throw new Error(
      `was drawn by renderer ${tools.renderer}, and this is renderer ${RENDERER}; restore it from a copy`,
    )
  if (RENDERERS[kind].isEncoded) demandEncoder(run.tools, tools)
  const { bytes } = await render(run, manifest, kind, intact)
  try {
    await run.archive.writer.repair(manifest.day, kind, bytes)
    return bytes
  } catch (error) {
    if (!isArchiveError(error, 'repair_mismatch')) throw error
  }
  throw new Error(
    `rendered again, it differs from the published file; ` +
      `it was made with ${listOf(tools)}; this run has ${listOf(toolsHere(run.tools))}`,
  )
}

/** @throws Error if another version of ffmpeg than this run's has encoded a film; FfmpegShortage */
function demandEncoder({ ffmpeg, ffmpegShortage }: RunTools, { ffmpeg: version }: Tools): void {
  if (ffmpegShortage) throw ffmpegShortage
  if (ffmpeg && (version === null || version === ffmpeg.version)) return
  throw new Error(
    `needs ffmpeg ${version ?? 'of any version'} to be rendered again; ` +
      (ffmpeg ? `found: ${ffmpeg.version}` : 'no ffmpeg was found'),
  )
}

async function render(
  run: Run,
  manifest: Manifest,
  kind: MediaKind,
  intact: Parts,
): Promise<Rendering> {
  const { snapshot } = manifest
  const renderer = RENDERERS[kind]
  if (renderer.isEncoded && !run.tools.ffmpeg) throw new Error('no ffmpeg was found')
  const parts: Parts = {}
  for (const part of renderer.needs) {
    const published = isDrawnHere(manifest, part) ? intact[part] : undefined
    parts[part] = published ?? (await render(run, manifest, part, intact)).bytes
  }
  return renderer.render(run, { snapshot, parts })
}

/** Whether this version of the drawing code would give the same bytes. */
const isDrawnHere = (manifest: Manifest, kind: MediaKind): boolean =>
  !RENDERERS[kind].isDrawn || toolsOf(manifest, kind).renderer === RENDERER

const listOf = (tools: Tools): string =>
  `renderer ${tools.renderer}, node ${tools.node}, sharp ${tools.sharp}, ffmpeg ${tools.ffmpeg ?? 'none'}`
