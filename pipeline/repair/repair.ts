// Restores the missing or damaged files of published days: manifest, snapshot, media files (WRITING.md 2), if there is one
// from another archive of the same days.
import { type ArchiveErrorCode, isArchiveError, nullIf } from '../../archive/base/errors.ts'
import { MAX_JSON_BYTES } from '../../archive/format/bounds.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { type Manifest, namedFiles } from '../../archive/format/manifest.ts'
import { keyOf, leavesName, manifestName, snapshotName } from '../../archive/format/paths.ts'
import type { Sum } from '../../archive/format/sums.ts'
import { isUpgradeOf } from '../../archive/log/upgrade.ts'
import { type Place, readUsable } from '../../archive/place/place.ts'
import { readCopy } from '../run/archive.ts'
import { type DayOutcome, failedOutcome, type Run } from '../run/session.ts'
import { logDay, lossOf } from '../run/signed-log.ts'
import { copyLeaves, repairLeaves } from '../sealing/keep-leaves.ts'
import { type Parts, RENDER_ORDER } from '../sealing/renderers.ts'
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

/** The names of the files restored from a copy, and messages about those that it could not provide. */
interface Restored {
  names: string[]
  /** About files that have other bytes, or could not be read. */
  problems: string[]
}

/**
 * Restores the missing or damaged files of a day that the copy has (WRITING.md 2.5). Each must have a hash that is proven by
 * this archive, so the copy need not be trusted. The caller rebuilds the others.
 */
async function restoreFromCopy(run: Run, copy: Place, day: string): Promise<Restored> {
  const restored: Restored = { names: [], problems: [] }
  const take = (file: Sum, limit: number) => takeFile(run, copy, day, file, limit, restored)
  if (!(await intactManifest(run, day))) {
    const leaf = run.log.leafOf(day)
    const name = manifestName(day)
    if (leaf) await take({ name, sha256: leaf.sha256 }, MAX_JSON_BYTES)
  }
  const manifest = await intactManifest(run, day)
  const snapshot = manifest?.snapshot_file.sha256 ?? (await namedByNext(run, day))
  const missing = manifest ? namedFiles(manifest) : []
  for (const { name, sha256, bytes } of missing) await take({ name, sha256 }, bytes)
  if (!manifest && snapshot)
    await take({ name: snapshotName(day), sha256: snapshot }, MAX_JSON_BYTES)
  if (manifest) await takeLeaves(run, copy, manifest, restored)
  return restored
}

/** The leaves have no hash of their own: they are those of the manifest's snapshot, or other bytes. */
async function takeLeaves(run: Run, copy: Place, { snapshot }: Manifest, restored: Restored) {
  try {
    const name = await copyLeaves(run, copy, snapshot)
    if (name) restored.names.push(name)
  } catch (error) {
    if (!isArchiveError(error, 'leaves_differ', 'archive_unavailable')) throw error
    restored.problems.push(error.message)
  }
}

/** @param file with a hash that this archive proves */
async function takeFile(
  { archive: { place, writer }, signal }: Run,
  copy: Place,
  day: string,
  file: Sum,
  limit: number,
  restored: Restored,
): Promise<void> {
  signal.throwIfAborted()
  const key = keyOf(day, file.name)
  const present = await readUsable(place, key)
  if (present && sha256Of(present.content) === file.sha256) return
  /** Notes why the copy cannot provide this file, so that the others are still restored. */
  const noteProblem = (code: ArchiveErrorCode) => (error: unknown) => {
    if (!isArchiveError(error, code)) throw error
    restored.problems.push(error.message)
    return null
  }
  const bytes = await readCopy(copy, key, limit).catch(noteProblem('archive_unavailable'))
  if (!bytes) return
  const name = await writer
    .restoreFile(day, file.name, bytes, file.sha256)
    .then(() => file.name, noteProblem('repair_mismatch'))
  if (name !== null) restored.names.push(name)
}

/** Reads the manifest of a day; null when it is missing, damaged, or neither the logged one nor an upgrade of it. */
async function intactManifest(
  { archive: { reader }, log }: Run,
  day: string,
): Promise<Manifest | null> {
  const read = await reader.manifest(day).catch(nullIf('invalid_manifest'))
  const leaf = log.leafOf(day)
  if (!read || !leaf || sha256Of(read.bytes) === leaf.sha256) return read?.manifest ?? null
  return isUpgradeOf(read.manifest, leaf.sha256) ? read.manifest : null
}

/** Returns the hash of a day's `<day>.json` that the next archived day names, or null. */
async function namedByNext(run: Run, day: string): Promise<string | null> {
  const next = (await run.archive.reader.days()).find((other) => other > day)
  const previous = next && (await intactManifest(run, next))?.snapshot.previous
  return previous && previous.day === day ? previous.sha256 : null
}
