// Continues an archive in a folder as earlier versions wrote it. They assembled days in `.staging/`, and recorded the
// hash of each manifest as the name of an empty file in `.seals/` (FORMAT.md 11).
import { systemCode } from '../base/system-error.ts'
import { type ArchiveError, asReadError, isArchiveError, orNull } from '../errors.ts'
import { contradictionIn } from '../format/contradictions.ts'
import { sha256Of } from '../format/hash.ts'
import { type Manifest, manifestBytes, namedFiles } from '../format/manifest.ts'
import {
  keyOf,
  manifestKey,
  manifestName,
  parseSealName,
  SEALS_FOLDER,
  STAGING_FOLDER,
  snapshotKey,
  snapshotName,
  stagingFolder,
} from '../format/paths.ts'
import type { Snapshot } from '../format/snapshot.ts'
import { isUpgradeOf } from '../log/upgrade.ts'
import type { WritablePlace } from '../place/place.ts'
import {
  type ManifestFile,
  manifestOf,
  readManifest,
  snapshotOf,
  stagedDays,
} from '../reading/day-files.ts'
import { ArchiveWriter } from './writer.ts'

/** The outcome for the days that an earlier version has left in its staging folder. */
export interface Recovery {
  /** The days that are published now, ascending. */
  completed: string[]
  /** The days that could not be completed. Nothing of them is lost; a later attempt may succeed. */
  failed: { day: string; error: ArchiveError }[]
}

/**
 * Completes the staged days with their staged bytes: a committed day is published, any other staged snapshot is fixed.
 * What can never be completed is removed, because the disk was damaged or someone changed files.
 */
export async function completeStaged(place: WritablePlace): Promise<Recovery> {
  const recovery: Recovery = { completed: [], failed: [] }
  for (const day of await stagedDays(place)) {
    try {
      if (await completeDay(place, day)) recovery.completed.push(day)
      await place.remove(stagingFolder(day))
    } catch (error) {
      // A disk error on one day must not stop the others.
      if (!isArchiveError(error) && systemCode(error) === undefined) throw error
      recovery.failed.push({ day, error: asReadError(error, stagingFolder(day)) })
    }
  }
  return recovery
}

/** @returns whether the day was committed and is now published */
async function completeDay(place: WritablePlace, day: string): Promise<boolean> {
  const manifest = await staged(place, day, manifestName(day), manifestOf)
  const published = await readManifest(place, day)
  if (manifest && (await publish(place, manifest.manifest, published))) return true
  const snapshot = published ? null : await staged(place, day, snapshotName(day), snapshotOf)
  // Only if absent: one in the day's folder is older.
  if (snapshot && (await isUsable(place, snapshot.snapshot)))
    await place.putIfAbsent(snapshotKey(day), snapshot.bytes)
  return false
}

/** Whether a snapshot agrees with itself and with the day that it names as its predecessor. */
async function isUsable(place: WritablePlace, snapshot: Snapshot): Promise<boolean> {
  const { previous } = snapshot
  if (contradictionIn(snapshot) !== null) return false
  const file = previous && (await place.get(snapshotKey(previous.day)))
  return !previous || (file !== null && sha256Of(file.content) === previous.sha256)
}

/**
 * Publishes a committed day.
 * @returns false when it can never be published: files are missing, or the day is sealed or fixed otherwise
 */
async function publish(
  place: WritablePlace,
  manifest: Manifest,
  published: ManifestFile | null,
): Promise<boolean> {
  const { day } = manifest
  const bytes = manifestBytes(manifest)
  if (published && !mayFollow(manifest, bytes, published.bytes)) return false
  const settled = published ? namedFiles(published.manifest).map(({ name }) => name) : []
  const missing: [key: string, content: Uint8Array][] = []
  for (const { name, sha256 } of namedFiles(manifest)) {
    const key = keyOf(day, name)
    const present = await place.get(key)
    if (settled.includes(name) || (present && sha256Of(present.content) === sha256)) continue
    const file = await place.get(keyOf(stagingFolder(day), name))
    if (!file || sha256Of(file.content) !== sha256) return false
    if (present && key === snapshotKey(day)) return false
    missing.push([key, file.content])
  }
  for (const [key, content] of missing) await place.put(key, content)
  if (published) await place.replace(manifestKey(day), bytes, published.version)
  else await new ArchiveWriter(place, { isShared: false }).seal(manifest)
  return true
}

/** Whether a manifest is the published one, or an upgrade of it. */
function mayFollow(manifest: Manifest, bytes: Uint8Array, published: Uint8Array): boolean {
  return Buffer.compare(bytes, published) === 0 || isUpgradeOf(manifest, sha256Of(published))
}

/** Reads a staged file; null when there is none, or it is damaged. */
async function staged<T>(
  place: WritablePlace,
  day: string,
  name: string,
  parse: (bytes: Uint8Array, shown: string, day: string) => T,
): Promise<T | null> {
  const key = keyOf(stagingFolder(day), name)
  const file = await place.get(key)
  return file && orNull(() => parse(file.content, key, day))
}

/** Whether an earlier version has published the day: a day that has a seal, but no manifest, has lost it. */
export async function hasSeal(place: WritablePlace, day: string): Promise<boolean> {
  return (await sealsIn(place)).some((seal) => seal.day === day)
}

/**
 * Removes both folders once the log proves the days, and nothing is staged any more. Checks the seals once more
 * before: they are the only record of manifests that were not logged.
 * @param logged the newest leaf of each day
 * @returns one line for each day whose manifest is not the sealed one; the folders stay then
 */
export async function removeEarlierFolders(
  place: WritablePlace,
  logged: ReadonlyMap<string, { sha256: string }>,
): Promise<string[]> {
  const seals = await sealsIn(place)
  const faults: string[] = []
  for (const day of new Set(seals.map((seal) => seal.day))) {
    const known = seals.filter((seal) => seal.day === day).map(({ sha256 }) => sha256)
    const fault = await faultOf(place, day, known, logged.get(day)?.sha256)
    if (fault) faults.push(`${manifestKey(day)}: ${fault}; restore it with --repair --from PLACE`)
  }
  if (faults.length > 0) return faults
  if ((await stagedDays(place)).length > 0) return []
  for (const folder of [SEALS_FOLDER, STAGING_FOLDER]) await place.remove(folder)
  return []
}

async function faultOf(
  place: WritablePlace,
  day: string,
  seals: readonly string[],
  leaf: string | undefined,
): Promise<string | null> {
  const file = await place.get(manifestKey(day))
  if (!file) return 'was published, but is missing'
  const sha256 = sha256Of(file.content)
  // A manifest that was upgraded since has its leaf.
  if (sha256 === leaf || seals.includes(sha256)) return null
  return 'is not as it was published'
}

async function sealsIn(place: WritablePlace) {
  const entries = (await place.entries?.(SEALS_FOLDER)) ?? []
  return entries.flatMap(({ name }) => parseSealName(name) ?? [])
}
