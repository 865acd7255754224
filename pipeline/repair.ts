// Restores what is missing or damaged in a published day, from its snapshot (FORMAT.md 14).
import { ArchiveError } from '../archive/errors.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { type Manifest, type Medium, type Tools, toolsOf } from '../archive/format/manifest.ts'
import { type MediaKind, manifestName, snapshotName } from '../archive/format/paths.ts'
import { type Copy, type Restored, restoreFromCopy } from './copy.ts'
import { logDay } from './log.ts'
import { renderFilm } from './render/film.ts'
import type { Ffmpeg } from './render/find-ffmpeg.ts'
import { renderPicture } from './render/picture.ts'
import { FIRST_RENDERER, RENDERER, type Rendering } from './render/rendering.ts'
import { renderSound } from './render/sound.ts'
import { type DayOutcome, failedOutcome, type Pipeline, toolsHere } from './session.ts'
import { withWorkFolder } from './work-folder.ts'

/** The film is made of the sound and the picture, so it comes last. */
const ORDER = ['wav', 'png', 'mp4'] as const

/** The files of a day that are as published, or have been restored. */
type Intact = Partial<Record<MediaKind, Uint8Array>>

/**
 * Repairs days, one after the other. A day that cannot be repaired does not stop the others.
 * @param report is called with the outcome of each day, in order
 * @param copy another archive of the same days, from which files are taken rather than made again
 * @throws the signal's reason when aborted
 */
export async function repairDays(
  pipeline: Pipeline,
  days: readonly string[],
  report: (outcome: DayOutcome) => void,
  copy: Copy | null = null,
): Promise<void> {
  for (const day of days) {
    try {
      const restored = copy && (await restoreFromCopy(pipeline, copy, day))
      const outcome = await repairDay(pipeline, day)
      report(restored ? withRestored(outcome, restored) : outcome)
    } catch (error) {
      report(failedOutcome(pipeline, day, error))
    }
  }
}

/** The outcome of a day of which some files were taken from a copy, and others were refused. */
function withRestored(outcome: DayOutcome, { names, refused }: Restored): DayOutcome {
  const { day, status, message } = outcome
  const parts = [...names, ...(message === undefined ? [] : [message]), ...refused]
  if (parts.length === 0) return outcome
  return {
    day,
    status: status === 'present' && names.length > 0 ? 'repaired' : status,
    message: parts.join(status === 'failed' || refused.length > 0 ? '; ' : ', '),
  }
}

/**
 * Renders each medium that is not as its manifest states, and restores it where the bytes are those
 * that were published. A medium that was unavailable may become available; nothing else changes.
 */
export async function repairDay(pipeline: Pipeline, day: string): Promise<DayOutcome> {
  const found = await findManifest(pipeline, day)
  if ('message' in found) return { day, status: 'failed', message: found.message }
  const { manifest } = found
  const repaired = found.restored ? [manifestName(day)] : []
  const failed: string[] = []
  /** Keeps one file that cannot be repaired from stopping the others. */
  const attempt = async (name: string, repair: () => Promise<boolean>) => {
    try {
      if (await repair()) repaired.push(name)
    } catch (error) {
      pipeline.signal.throwIfAborted()
      failed.push((error as Error).message)
    }
  }
  await pipeline.log.refuseChanged(day)
  await attempt(snapshotName(day), () => repairSnapshot(pipeline, day))
  const intact: Intact = {}
  for (const kind of ORDER) {
    pipeline.signal.throwIfAborted()
    await attempt(kind, () => repairMedium(pipeline, manifest, kind, intact))
  }
  await logDay(pipeline.log, day)
  const orphans = await pipeline.writer.removeOrphans(day, pipeline.now())
  if (orphans.length > 0) repaired.push(`${orphans.length} unnamed media removed`)
  if (failed.length > 0) return { day, status: 'failed', message: failed.join('; ') }
  if (repaired.length === 0) return { day, status: 'present' }
  return { day, status: 'repaired', message: repaired.join(', ') }
}

/** A day's manifest, and whether it had to be restored; or why there is none. */
async function findManifest(
  pipeline: Pipeline,
  day: string,
): Promise<{ manifest: Manifest; restored: boolean } | { message: string }> {
  let message = 'is not archived; there is nothing to repair'
  try {
    const read = await pipeline.reader.manifest(day)
    if (read) return { manifest: read.manifest, restored: false }
  } catch (error) {
    if (!(error instanceof ArchiveError) || error.code !== 'invalid_manifest') throw error
    message = `${error.message}; the files that are there do not prove what it said: restore it from a copy`
  }
  const manifest = await restoreManifest(pipeline, day)
  return manifest ? { manifest, restored: true } : { message }
}

/**
 * Restores the lost or damaged manifest of a day that was published, made again from its files.
 * @returns null when its content cannot be proven; nothing is changed then
 */
export async function restoreManifest(pipeline: Pipeline, day: string): Promise<Manifest | null> {
  const { writer } = pipeline
  const here = toolsHere(pipeline)
  // Days of the first renderer name none.
  const { renderer: _, ...first } = here
  return (await writer.repairManifest(day, here)) ?? (await writer.repairManifest(day, first))
}

/** @returns whether `<day>.json` had to be restored */
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

/**
 * @returns whether a medium had to be restored, or became available
 * @throws Error naming the medium, and why its published bytes could not be made again
 */
async function repairMedium(
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
