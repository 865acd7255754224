// Writes and repairs days: the interface of every writer, and the writer of a folder. Only one may be
// open at a time, so its caller holds the pipeline's lock.
import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Disk, realDisk } from '../base/durable.ts'
import { makeFolders } from '../base/folders.ts'
import { systemCode } from '../base/system-error.ts'
import { ArchiveError, asReadError, asWriteError } from '../errors.ts'
import { refuseContradiction } from '../format/contradictions.ts'
import type { MediumProperties } from '../format/facts.ts'
import { sha256Of } from '../format/hash.ts'
import type { AvailableMedium, Manifest, Tools } from '../format/manifest.ts'
import type { MediaKind } from '../format/media.ts'
import { snapshotName } from '../format/paths.ts'
import { type Snapshot, snapshotBytes } from '../format/snapshot.ts'
import { addMedium, repairManifest, repairMedium, repairSnapshot, restoreFile } from './restore.ts'
import { type Recovery, recover, seal } from './seal.ts'
import {
  type FixedSnapshot,
  fixedSnapshot,
  removeStaging,
  stage,
  stageMedium,
  type WritableArchive,
} from './staging.ts'

/**
 * Every method may reject with ArchiveError `storage_full`, `archive_unwritable` or `storage_failed`, and with
 * `archive_unavailable` when a file cannot be read. No existing data is lost then, and the call can be repeated.
 */
export interface ArchiveWriter {
  /** Finishes the seals that a kill interrupted. Must be called first. */
  recover(): Promise<Recovery>
  /** Finds the snapshot that an interrupted run has fixed for an unsealed day; null when there is none. */
  fixedSnapshot(day: string): Promise<FixedSnapshot | null>
  /**
   * Fixes the snapshot of a day.
   * @returns the fixed snapshot: in an object store it may be that of another run, which came first
   * @throws ArchiveError `conflict` in a folder, when another snapshot is fixed already; `invalid_snapshot` when it
   *   contradicts itself
   */
  stageSnapshot(snapshot: Snapshot): Promise<Snapshot>
  /**
   * Stages a media file.
   * @param properties the duration and dimensions that the manifest states for this kind
   * @returns the file's entry for the manifest
   */
  stageMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties?: MediumProperties,
  ): Promise<AvailableMedium>
  /** Removes what is staged of an uncommitted day, so that another snapshot can be staged. */
  discard(day: string): Promise<void>
  /**
   * Publishes a staged day. Sealing it again with the same manifest does nothing.
   * @throws ArchiveError `conflict` when the day is sealed with another manifest,
   *   `incomplete_staging` when a file that the manifest names is not staged
   */
  seal(manifest: Manifest): Promise<void>
  /**
   * Restores a missing or damaged media file of a sealed day.
   * @throws ArchiveError `not_sealed`; `repair_mismatch` when the manifest does not name these bytes
   */
  repair(day: string, kind: MediaKind, bytes: Uint8Array): Promise<void>
  /**
   * Adds a media file that a sealed day's manifest states as unavailable.
   * @param tools the tools that rendered it
   * @returns the manifest that replaces the published one
   * @throws ArchiveError `not_sealed`; `conflict` when the file is available already
   */
  addMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties: MediumProperties,
    tools: Tools,
  ): Promise<Manifest>
  /**
   * Restores a missing or damaged `<day>.json` of a sealed day from its manifest.
   * @throws ArchiveError `not_sealed`, `repair_mismatch`
   */
  repairSnapshot(day: string): Promise<void>
  /**
   * Restores a missing or damaged manifest of a sealed day: recomposes it from the day's files, and
   * proves it by its hash on record (the seals, or the log in a store).
   * @param present the current tools; those that other days' manifests name are tried as well
   * @returns null, without any change, when no candidate is proven
   * @throws ArchiveError `invalid_snapshot`, `conflict`
   */
  repairManifest(day: string, present: Tools): Promise<Manifest | null>
  /**
   * Restores a file of a day from a copy.
   * @param sha256 the file's proven hash
   * @throws ArchiveError `repair_mismatch`, `conflict`
   */
  restoreFile(day: string, name: string, bytes: Uint8Array, sha256: string): Promise<void>
  /**
   * Removes media files of a sealed day that its manifest does not name, once no run can still need them.
   * @param now wall-clock time [ms since 1970]
   * @returns the names of the removed files; none in a folder, where sealing removes them
   */
  removeOrphans(day: string, now: number): Promise<string[]>
}

/**
 * Opens an archive for writing.
 * @param options.create create a missing folder; otherwise that is an error, since it usually means a
 *   wrong setting
 * @throws ArchiveError `archive_unavailable`, `archive_unwritable`
 */
export async function openWriter(
  dir: string,
  options: { create: boolean; disk?: Disk },
): Promise<ArchiveWriter> {
  const archive = { dir: resolve(dir), disk: reportingDisk(options.disk ?? realDisk, dir) }
  await openFolder(archive.dir, options.create)
  // The disk reports failed writes, so any other system error is of a read.
  const reporting = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw systemCode(error) === undefined ? error : asReadError(error, dir)
    })
  return {
    recover: () => reporting(recover(archive)),
    fixedSnapshot: (day) => reporting(fixedSnapshot(archive, day)),
    stageSnapshot: (snapshot) => reporting(stageSnapshot(archive, snapshot)),
    stageMedium: (day, kind, bytes, properties = {}) =>
      reporting(stageMedium(archive, day, kind, bytes, properties)),
    discard: (day) => reporting(removeStaging(archive, day)),
    seal: (manifest) => reporting(seal(archive, manifest)),
    repair: (day, kind, bytes) => reporting(repairMedium(archive, day, kind, bytes)),
    addMedium: (day, kind, bytes, properties, tools) =>
      reporting(addMedium(archive, day, kind, bytes, properties, tools)),
    repairSnapshot: (day) => reporting(repairSnapshot(archive, day)),
    repairManifest: (day, present) => reporting(repairManifest(archive, day, present)),
    restoreFile: (day, name, bytes, sha256) =>
      reporting(restoreFile(archive, day, name, bytes, sha256)),
    removeOrphans: async () => [],
  }
}

/**
 * A disk that reports a system error as ArchiveError `storage_full`, `archive_unwritable` or `storage_failed`, so that
 * failed writes can be distinguished from failed reads.
 * @param dir the archive's folder, for messages
 */
function reportingDisk(disk: Disk, dir: string): Disk {
  const reporting = (write: Promise<void>) =>
    write.catch((error) => {
      throw systemCode(error) === undefined ? error : asWriteError(error, dir)
    })
  return {
    makeFolder: (path) => reporting(disk.makeFolder(path)),
    write: (path, bytes, mode) => reporting(disk.write(path, bytes, mode)),
    rename: (from, to) => reporting(disk.rename(from, to)),
    remove: (path) => reporting(disk.remove(path)),
    syncFolder: (path) => reporting(disk.syncFolder(path)),
  }
}

async function openFolder(dir: string, create: boolean): Promise<void> {
  if (create) await makeFolder(dir)
  try {
    if (!(await stat(dir)).isDirectory())
      throw new ArchiveError('archive_unavailable', `${dir}: is not a folder`)
  } catch (error) {
    throw asReadError(error, dir)
  }
  try {
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw asWriteError(error, dir)
  }
}

async function makeFolder(dir: string): Promise<void> {
  try {
    if (await makeFolders(dir)) await realDisk.syncFolder(dirname(dir))
  } catch (error) {
    // The caller's check reports a file that has the folder's name.
    if (systemCode(error) !== 'ENOTDIR') throw asWriteError(error, dir)
  }
}

async function stageSnapshot(archive: WritableArchive, snapshot: Snapshot): Promise<Snapshot> {
  refuseContradiction(snapshot)
  const name = snapshotName(snapshot.day)
  const bytes = snapshotBytes(snapshot)
  const fixed = await fixedSnapshot(archive, snapshot.day)
  if (fixed && sha256Of(snapshotBytes(fixed.snapshot)) !== sha256Of(bytes))
    throw new ArchiveError('conflict', `${name}: another snapshot of the day is fixed already`)
  await stage(archive, snapshot.day, bytes, name)
  return snapshot
}
