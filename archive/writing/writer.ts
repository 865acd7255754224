// Makes days and repairs them: what every writer does, and the one of a folder. One at a time: whoever
// opens it holds the pipeline's lock.
import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ArchiveError, asReadError, asWriteError, systemCode } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import type { AvailableMedium, Manifest, MediumProperties, Tools } from '../format/manifest.ts'
import { type MediaKind, snapshotName } from '../format/paths.ts'
import { type Snapshot, snapshotBytes } from '../format/snapshot.ts'
import { type Disk, makeFolders, realDisk } from './durable.ts'
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
 * Every method may reject with ArchiveError `storage_full`, `archive_unwritable` or `storage_failed`:
 * nothing that was there is lost, and the same call may be made again.
 */
export interface ArchiveWriter {
  /** Finishes the seals that a kill interrupted. To be called first. */
  recover(): Promise<Recovery>
  /** What an interrupted run has fixed of a day that is not sealed; null when nothing. */
  fixedSnapshot(day: string): Promise<FixedSnapshot | null>
  /**
   * Fixes the snapshot of a day.
   * @returns the one that is fixed now: on an object store another run's, where that came first
   * @throws ArchiveError `conflict` when another is fixed already, in a folder
   */
  stageSnapshot(snapshot: Snapshot): Promise<Snapshot>
  /**
   * @param properties what the manifest states of the content, by kind
   * @returns the medium's entry for the manifest
   */
  stageMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties?: MediumProperties,
  ): Promise<AvailableMedium>
  /** Removes what is staged of a day that is not committed, so that another snapshot can be. */
  discard(day: string): Promise<void>
  /**
   * Publishes a staged day. Sealing it again with the same manifest is fine.
   * @throws ArchiveError `conflict` when the day is sealed with another manifest,
   *   `incomplete_staging` when a file that the manifest names is not staged
   */
  seal(manifest: Manifest): Promise<void>
  /**
   * Puts a missing or damaged medium of a sealed day back.
   * @throws ArchiveError `not_sealed`; `repair_mismatch` when the bytes are not the named ones
   */
  repair(day: string, kind: MediaKind, bytes: Uint8Array): Promise<void>
  /**
   * Makes an unavailable medium of a sealed day available.
   * @param tools what made it
   * @returns the manifest that replaces the published one
   * @throws ArchiveError `not_sealed`, `conflict` when the medium is available already
   */
  addMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties: MediumProperties,
    tools: Tools,
  ): Promise<Manifest>
  /**
   * Puts a missing or damaged `<day>.json` of a sealed day back, from its manifest.
   * @throws ArchiveError `not_sealed`, `repair_mismatch`
   */
  repairSnapshot(day: string): Promise<void>
  /**
   * Puts a missing or damaged manifest of a day that was sealed back: composed again from the day's
   * files, and proven by the record of seals.
   * @param present the tools here; those that other days name are tried as well
   * @returns null when it cannot be proven; nothing is changed then
   * @throws ArchiveError `invalid_snapshot`, `conflict`
   */
  repairManifest(day: string, present: Tools): Promise<Manifest | null>
  /**
   * Puts a file of a day back whose hash is proven elsewhere, taken from a copy.
   * @throws ArchiveError `repair_mismatch`, `conflict`
   */
  restoreFile(day: string, name: string, bytes: Uint8Array, sha256: string): Promise<void>
  /**
   * Removes media of a sealed day that its manifest does not name, once they are so old that no run is at work on them.
   * @param now wall time [ms since 1970]
   * @returns their names; none in a folder, where sealing has removed them
   */
  removeOrphans(day: string, now: number): Promise<string[]>
}

/**
 * Opens an archive for writing.
 * @param options.create make the folder when it is missing; without, a missing folder is an error,
 *   since it usually means a wrong setting
 * @throws ArchiveError `archive_unavailable`, `archive_unwritable`
 */
export async function openWriter(
  dir: string,
  options: { create: boolean; disk?: Disk },
): Promise<ArchiveWriter> {
  const archive = { dir: resolve(dir), disk: options.disk ?? realDisk }
  await openFolder(archive.dir, options.create)
  const writing = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw asWriteError(error, dir)
    })
  return {
    recover: () => writing(recover(archive)),
    fixedSnapshot: (day) => writing(fixedSnapshot(archive, day)),
    stageSnapshot: (snapshot) => writing(stageSnapshot(archive, snapshot)),
    stageMedium: (day, kind, bytes, properties = {}) =>
      writing(stageMedium(archive, day, kind, bytes, properties)),
    discard: (day) => writing(removeStaging(archive, day)),
    seal: (manifest) => writing(seal(archive, manifest)),
    repair: (day, kind, bytes) => writing(repairMedium(archive, day, kind, bytes)),
    addMedium: (day, kind, bytes, properties, tools) =>
      writing(addMedium(archive, day, kind, bytes, properties, tools)),
    repairSnapshot: (day) => writing(repairSnapshot(archive, day)),
    repairManifest: (day, present) => writing(repairManifest(archive, day, present)),
    restoreFile: (day, name, bytes, sha256) =>
      writing(restoreFile(archive, day, name, bytes, sha256)),
    removeOrphans: async () => [],
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
    // A file in the way is reported by the check that follows.
    if (systemCode(error) !== 'ENOTDIR') throw asWriteError(error, dir)
  }
}

async function stageSnapshot(archive: WritableArchive, snapshot: Snapshot): Promise<Snapshot> {
  const name = snapshotName(snapshot.day)
  const bytes = snapshotBytes(snapshot)
  const fixed = await fixedSnapshot(archive, snapshot.day)
  if (fixed && sha256Of(snapshotBytes(fixed.snapshot)) !== sha256Of(bytes))
    throw new ArchiveError('conflict', `${name}: another snapshot of the day is fixed already`)
  await stage(archive, snapshot.day, bytes, name)
  return snapshot
}
