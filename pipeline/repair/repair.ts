// Restores the missing or damaged files of published days: manifest, snapshot, media files (WRITING.md 2).
import { isArchiveError } from '../../archive/base/errors.ts'
import type { Manifest } from '../../archive/format/manifest.ts'
import { leavesName, snapshotName } from '../../archive/format/paths.ts'
import type { Place } from '../../archive/place/place.ts'
import { type DayOutcome, failedOutcome, type Run } from '../run/session.ts'
import { logDay, lossOf } from '../run/signed-log.ts'
import { repairLeaves } from '../sealing/keep-leaves.ts'
import { type Parts, RENDER_ORDER } from '../sealing/renderers.ts'
import { type Restored, restoreFromCopy } from './from-copy.ts'
import { repairMedium } from './media.ts'

/**
 * Repairs days one by one. A day that cannot be repaired does not stop the others.
 * @param report called with the outcome of each day, in order
 * @param copy another archive of the same days, preferred over rendering files again
 * @throws the signal's reason when aborted
 */
export async function repairDays(
  run: Run,
  days: readonly string[],
  report: (outcome: DayOutcome) => void,
  copy: Place | null = null,
): Promise<void> {
  for (const day of days) {
    try {
      const restored = copy && (await restoreFromCopy(run, copy, day))
      const outcome = await repairDay(run, day).catch((error) => failedOutcome(run, day, error))
      report(restored ? withRestored(outcome, restored) : outcome)
    } catch (error) {
      report(failedOutcome(run, day, error))
    }
  }
}

/** Adds the files that were restored from a copy, and the problems with others, to a day's outcome. */
function withRestored(outcome: DayOutcome, { names, problems }: Restored): DayOutcome {
  const { day, status, message } = outcome
  const parts = [...names, ...(message === undefined ? [] : [message]), ...problems]
  if (parts.length === 0) return outcome
  return {
    day,
    status: status === 'present' && names.length > 0 ? 'repaired' : status,
    message: parts.join(status === 'failed' || problems.length > 0 ? '; ' : ', '),
  }
}

/**
 * Restores the missing or damaged files of a day, if the published bytes can be reproduced. An unavailable
 * media file may become available; nothing else changes.
 */
export async function repairDay(run: Run, day: string): Promise<DayOutcome> {
  const found = await findManifest(run, day)
  if ('message' in found) return failedDay(day, found.message)
  const { manifest } = found
  const repaired: string[] = []
  const failed: string[] = []
  /** Records a failure, so that the other files are still repaired. */
  const attempt = async (name: string, repair: () => Promise<boolean>) => {
    try {
      if (await repair()) repaired.push(name)
    } catch (error) {
      run.signal.throwIfAborted()
      failed.push((error as Error).message)
    }
  }
  await run.log.refuseChanged(day)
  await attempt(snapshotName(day), () => repairSnapshot(run, day))
  await attempt(leavesName(day), () => repairLeaves(run, manifest.snapshot))
  const intact: Parts = {}
  for (const kind of RENDER_ORDER) {
    run.signal.throwIfAborted()
    await attempt(kind, () => repairMedium(run, manifest, kind, intact))
  }
  await logDay(run.log, day)
  const orphans = await run.archive.writer.removeOrphans(day, run.clock.now())
  if (orphans.length > 0) repaired.push(`${orphans.length} unnamed media removed`)
  if (failed.length > 0) return failedDay(day, failed.join('; '))
  if (repaired.length === 0) return { day, status: 'present' }
  return { day, status: 'repaired', message: repaired.join(', ') }
}

const failedDay = (day: string, message: string): DayOutcome => ({ day, status: 'failed', message })

/** Returns a day's manifest, or a message saying why there is none. */
async function findManifest(
  { archive: { reader }, log }: Run,
  day: string,
): Promise<{ manifest: Manifest } | { message: string }> {
  try {
    const read = await reader.manifest(day)
    if (read) return { manifest: read.manifest }
    return {
      message: log.leafOf(day) ? lossOf(day) : 'is not archived; there is nothing to repair',
    }
  } catch (error) {
    if (!isArchiveError(error, 'invalid_manifest')) throw error
    return { message: `${error.message}; restore it with --repair --from PLACE` }
  }
}

/** @returns whether `<day>.json` had to be restored */
async function repairSnapshot({ archive: { reader, writer } }: Run, day: string): Promise<boolean> {
  try {
    await reader.snapshot(day)
    return false
  } catch (error) {
    if (!isArchiveError(error, 'invalid_snapshot')) throw error
    await writer.repairSnapshot(day)
    return true
  }
}
