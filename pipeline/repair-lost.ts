// Rebuilds a logged day that has lost its manifest and media files from its remaining snapshot (FORMAT.md 14.4).
import { nullIf, unreadableAs } from '../archive/errors.ts'
import { snapshotOf } from '../archive/files.ts'
import { sha256Of } from '../archive/format/hash.ts'
import { manifestBytes } from '../archive/format/manifest.ts'
import { manifestKey, manifestName, mediaName, snapshotKey } from '../archive/format/paths.ts'
import type { Snapshot } from '../archive/format/snapshot.ts'
import { manifestOf, type RenderedDay, renderDay, renderedMedia, sealDay } from './publish.ts'
import type { DayOutcome, Pipeline } from './session.ts'

/**
 * Renders a day again, and publishes it if its manifest is the logged one.
 * @returns null, without any change, when the day is not logged, has no snapshot, or its damaged manifest would be
 *   replaced by another than the logged one
 * @throws ArchiveError `manifest_not_logged` when the manifest is missing and the new one is not the logged one
 */
export async function rebuildDay(pipeline: Pipeline, day: string): Promise<DayOutcome | null> {
  const leaf = pipeline.log.leafOf(day)
  const snapshot = leaf ? await snapshotInPlace(pipeline, day) : null
  if (!leaf || !snapshot) return null
  const rendered = await renderDay(pipeline, snapshot)
  const isMissing = (await pipeline.place.stat(manifestKey(day))) === null
  if (isMissing) await sealDay(pipeline, rendered)
  else if (!(await replaceDamaged(pipeline, rendered, leaf.sha256))) return null
  return { day, status: 'repaired', message: manifestName(day) }
}

async function snapshotInPlace({ place }: Pipeline, day: string): Promise<Snapshot | null> {
  const key = snapshotKey(day)
  try {
    const file = await place.get(key).catch(unreadableAs('invalid_snapshot', key))
    return file && snapshotOf(file.content, key, day).snapshot
  } catch (error) {
    return nullIf('invalid_snapshot')(error)
  }
}

/**
 * Restores each file like one from a copy, the manifest last. Sealing would not replace the damaged manifest.
 * @returns false when the new manifest is not the logged one
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
  for (const [kind, medium] of renderedMedia(rendered)) {
    const sha256 = sha256Of(medium.bytes)
    await writer.restoreFile(day, mediaName(sha256, kind), medium.bytes, sha256)
  }
  await writer.restoreFile(day, manifestName(day), bytes, logged)
  return true
}
