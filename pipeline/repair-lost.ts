// Makes a logged day again that has lost its manifest and media, from the snapshot that it still has (FORMAT.md 14.4).
import { nullIf, unreadableAs } from '../archive/errors.ts'
import { snapshotOf } from '../archive/files.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { manifestBytes } from '../archive/format/manifest.ts'
import { manifestName, mediaName, snapshotName } from '../archive/format/paths.ts'
import type { Snapshot } from '../archive/format/snapshot.ts'
import { manifestOf, type RenderedDay, renderDay, renderedMedia, sealDay } from './publish.ts'
import type { DayOutcome, Pipeline } from './session.ts'

/**
 * @returns null when the day was not logged, has no snapshot, or is not made with the logged bytes in place of a
 *   damaged manifest; nothing is changed then
 * @throws ArchiveError `manifest_not_logged` when the manifest is missing, and another would be made
 */
export async function rebuildDay(pipeline: Pipeline, day: string): Promise<DayOutcome | null> {
  const leaf = pipeline.log.leafOf(day)
  const snapshot = leaf ? await snapshotInPlace(pipeline, day) : null
  if (!leaf || !snapshot) return null
  const rendered = await renderDay(pipeline, snapshot)
  const isMissing = (await pipeline.place.stat(`${day}/${manifestName(day)}`)) === null
  if (isMissing) await sealDay(pipeline, rendered)
  else if (!(await replaceDamaged(pipeline, rendered, leaf.sha256))) return null
  return { day, status: 'repaired', message: manifestName(day) }
}

async function snapshotInPlace({ place }: Pipeline, day: string): Promise<Snapshot | null> {
  const key = `${day}/${snapshotName(day)}`
  try {
    const file = await place.get(key).catch(unreadableAs('invalid_snapshot', key))
    return file && snapshotOf(file.content, key, day).snapshot
  } catch (error) {
    return nullIf('invalid_snapshot')(error)
  }
}

/**
 * Puts each file in its place as one of a copy would be, the manifest last: a seal replaces no manifest.
 * @returns false when the manifest is not the one that was logged
 */
async function replaceDamaged(
  pipeline: Pipeline,
  rendered: RenderedDay,
  logged: string,
): Promise<boolean> {
  const { writer } = pipeline
  const { day } = rendered.snapshot
  const bytes = manifestBytes(manifestOf(pipeline, rendered))
  if (sha256Of(bytes) !== logged) return false
  for (const [kind, made] of renderedMedia(rendered)) {
    const sha256 = sha256Of(made.bytes)
    await writer.restoreFile(day, mediaName(sha256, kind), made.bytes, sha256)
  }
  await writer.restoreFile(day, manifestName(day), bytes, logged)
  return true
}
