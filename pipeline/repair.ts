// Restores what is missing or damaged in published days: manifest, snapshot, media files (FORMAT.md 14).
import { ArchiveError } from '../archive/errors.ts'
import type { Manifest } from '../archive/format/manifest.ts'
import { manifestName, snapshotName } from '../archive/format/paths.ts'
import type { Copy } from './copy.ts'
import { logDay, lossOf } from './log.ts'
import { type Restored, restoreFromCopy } from './repair-from-copy.ts'
import { rebuildDay } from './repair-lost.ts'
import { type Intact, repairMedium } from './repair-media.ts'
import { type DayOutcome, failedOutcome, type Pipeline, toolsHere } from './session.ts'

/** The film is made of the sound and the picture, so it comes last. */
const ORDER = ['wav', 'png', 'mp4'] as const

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
  if ('message' in found) return (await rebuildDay(pipeline, day)) ?? failedDay(day, found.message)
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
  if (failed.length > 0) return failedDay(day, failed.join('; '))
  if (repaired.length === 0) return { day, status: 'present' }
  return { day, status: 'repaired', message: repaired.join(', ') }
}

const failedDay = (day: string, message: string): DayOutcome => ({ day, status: 'failed', message })

/** A day's manifest, and whether it had to be restored; or why there is none. */
async function findManifest(
  pipeline: Pipeline,
  day: string,
): Promise<{ manifest: Manifest; restored: boolean } | { message: string }> {
  const isLogged = pipeline.log.leafOf(day) !== undefined
  let message = isLogged ? lossOf(day) : 'is not archived; there is nothing to repair'
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
