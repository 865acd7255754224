// Brings back what is missing or damaged in a published day, from its snapshot (decisions.md 9.12).
import { ArchiveError } from '../archive/errors.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { type Manifest, type Medium, type Tools, toolsOf } from '../archive/format/manifest.ts'
import { type MediaKind, manifestName, snapshotName } from '../archive/format/paths.ts'
import { type Rendering, renderPicture, renderSound, renderVideo } from './media.ts'
import type { DayOutcome, Pipeline } from './session.ts'

/** A video is made of the sound and the picture, so it comes last. */
const ORDER = ['wav', 'png', 'mp4'] as const

/**
 * Renders each medium that is not as its manifest says, and puts it back where the bytes are those
 * that were published. A medium that was unavailable may become available; nothing else changes.
 */
export async function repairDay(pipeline: Pipeline, day: string): Promise<DayOutcome> {
  const found = await findManifest(pipeline, day)
  if ('message' in found) return { day, status: 'failed', message: found.message }
  const { manifest } = found
  const repaired = found.anew ? [manifestName(day)] : []
  const failed: string[] = []
  await repairSnapshot(pipeline, day).then(
    (done) => done && repaired.push(snapshotName(day)),
    (error: Error) => failed.push(error.message),
  )
  const intact: Partial<Record<MediaKind, Uint8Array>> = {}
  for (const kind of ORDER) {
    const medium = manifest.media[kind]
    const published = await publishedBytes(pipeline, day, medium)
    if (published) intact[kind] = published
    else if (medium.available || kind !== 'mp4' || pipeline.ffmpeg)
      await repairMedium(pipeline, manifest, kind, intact).then(
        () => repaired.push(kind),
        (error: Error) => failed.push(`${kind}: ${error.message}`),
      )
    pipeline.signal.throwIfAborted()
  }
  if (failed.length > 0) return { day, status: 'failed', message: failed.join('; ') }
  if (repaired.length === 0) return { day, status: 'present' }
  return { day, status: 'repaired', message: repaired.join(', ') }
}

/** A day's manifest, and whether it had to be put back; or why there is none. */
async function findManifest(
  pipeline: Pipeline,
  day: string,
): Promise<{ manifest: Manifest; anew: boolean } | { message: string }> {
  let message = 'is not archived; there is nothing to repair'
  try {
    const read = await pipeline.reader.manifest(day)
    if (read) return { manifest: read.manifest, anew: false }
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'invalid_manifest') throw error
    message = `${error.message}; the files that are there do not prove what it said: restore it from a copy`
  }
  const manifest = await restoreManifest(pipeline, day)
  return manifest ? { manifest, anew: true } : { message }
}

/**
 * Puts the lost or damaged manifest of a day that was published back, made again from its files.
 * @returns null when it cannot be proven what it said; nothing is changed then
 */
export async function restoreManifest(pipeline: Pipeline, day: string): Promise<Manifest | null> {
  return pipeline.writer.repairManifest(day, toolsHere(pipeline))
}

function toolsHere({ versions, ffmpeg }: Pipeline): Tools {
  return { ...versions, ffmpeg: ffmpeg?.version ?? null }
}

/** Whether `<day>.json` had to be put back. */
async function repairSnapshot({ reader, writer }: Pipeline, day: string): Promise<boolean> {
  try {
    await reader.snapshot(day)
    return false
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'invalid_snapshot') throw error
    await writer.repairSnapshot(day)
    return true
  }
}

/** The bytes of a medium that is there as its manifest says; null otherwise. */
async function publishedBytes(
  { reader }: Pipeline,
  day: string,
  medium: Medium,
): Promise<Uint8Array | null> {
  if (!medium.available) return null
  try {
    const open = await reader.openMedia(day, medium.filename)
    const bytes = open && new Uint8Array(await new Response(open.stream()).arrayBuffer())
    return bytes && sha256Of(bytes) === medium.sha256 ? bytes : null
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'invalid_medium') return null
    throw error
  }
}

/** @throws Error saying why the published bytes could not be made again */
async function repairMedium(
  pipeline: Pipeline,
  manifest: Manifest,
  kind: MediaKind,
  intact: Partial<Record<MediaKind, Uint8Array>>,
): Promise<void> {
  const { bytes, properties } = await render(pipeline, manifest, kind, intact)
  const { writer } = pipeline
  try {
    if (manifest.media[kind].available) await writer.repair(manifest.day, kind, bytes)
    else await writer.addMedium(manifest.day, kind, bytes, properties, toolsHere(pipeline))
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'repair_mismatch') throw error
    throw new Error(otherTools(pipeline, toolsOf(manifest, kind)), { cause: error })
  }
  intact[kind] = bytes
}

async function render(
  { ffmpeg, archiveDir, signal, onProgress }: Pipeline,
  { day, snapshot }: Manifest,
  kind: MediaKind,
  intact: Partial<Record<MediaKind, Uint8Array>>,
): Promise<Rendering> {
  if (kind === 'wav') return renderSound(snapshot)
  if (kind === 'png') return renderPicture(snapshot)
  if (!ffmpeg) throw new Error('no ffmpeg was found to render it')
  return renderVideo({
    picture: intact.png ?? (await renderPicture(snapshot)).bytes,
    sound: intact.wav ?? renderSound(snapshot).bytes,
    ffmpeg,
    archiveDir,
    signal,
    onProgress: (fraction) => onProgress(day, 'film', fraction),
  })
}

/** Other versions of the tools may make other bytes of the same snapshot. */
function otherTools(pipeline: Pipeline, made: Tools): string {
  const list = (tools: Tools) =>
    `node ${tools.node}, sharp ${tools.sharp}, ffmpeg ${tools.ffmpeg ?? 'none'}`
  return `rendered anew it has other bytes than were published; the day was made with ${list(made)}; here are ${list(toolsHere(pipeline))}`
}
