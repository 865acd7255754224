// Makes days and repairs them: with seal.ts and repair.ts, the only code that writes an archive.
// One writer at a time: whoever opens it holds the pipeline's lock.
import { createReadStream } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { ArchiveError, asReadError, asWriteError, systemCode } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  type Manifest,
  type MediumProperties,
  mediumEntry,
  type Tools,
} from '../format/manifest.ts'
import { type MediaKind, mediaName, snapshotName } from '../format/paths.ts'
import { type Snapshot, snapshotBytes } from '../format/snapshot.ts'
import { type Disk, makeFolders, realDisk } from './durable.ts'
import { repairManifest, repairMedium, repairSnapshot, sealedManifest } from './repair.ts'
import { recover, seal } from './seal.ts'
import {
  fixedSnapshot,
  hasSnapshotInPlace,
  removeStaging,
  stage,
  type WritableArchive,
} from './staging.ts'

/** A medium's bytes, or a file that is moved in. */
export type MediumSource = Uint8Array | { file: string }

/**
 * Every method may reject with ArchiveError `storage_full`, `archive_unwritable` or `storage_failed`:
 * nothing that was there is lost, and the same call may be made again.
 */
export interface ArchiveWriter {
  /**
   * Finishes the seals that a kill interrupted. To be called first. A day that cannot be finished
   * is left to its own run.
   * @returns the days completed, ascending
   */
  recover(): Promise<string[]>
  /** What an interrupted run has fixed of a day that is not sealed; null when nothing. */
  stagedSnapshot(day: string): Promise<Snapshot | null>
  /**
   * Whether that snapshot lies in the day's folder already, as when the manifest was lost or its
   * last rename did not come: later days may name it, so that no other can take its place.
   */
  snapshotInPlace(day: string): Promise<boolean>
  /** @throws ArchiveError `conflict` when another snapshot of the day is fixed already */
  stageSnapshot(snapshot: Snapshot): Promise<void>
  /** @returns what the manifest has to say of the medium */
  stageMedium(
    day: string,
    kind: MediaKind,
    source: MediumSource,
    properties?: MediumProperties,
  ): Promise<AvailableMedium>
  /** Gives up what is staged of a day that is not committed, so that another snapshot may be. */
  discard(day: string): Promise<void>
  /**
   * Publishes a staged day. Sealing it again with the same manifest is fine.
   * @throws ArchiveError `conflict` when the day is sealed with another manifest,
   *   `incomplete_staging` when a file that the manifest names is not staged
   */
  seal(manifest: Manifest): Promise<void>
  /**
   * Puts a medium of a sealed day in its place: one that is missing or damaged, or one that was
   * unavailable and becomes available with these properties.
   * @returns the manifest as it is published then
   * @throws ArchiveError `not_sealed`; `repair_mismatch` when the bytes are not the named ones
   */
  repair(
    day: string,
    kind: MediaKind,
    source: MediumSource,
    properties?: MediumProperties,
  ): Promise<Manifest>
  /**
   * Puts a missing or damaged `<day>.json` of a sealed day back, from its manifest.
   * @throws ArchiveError `not_sealed`, `repair_mismatch`
   */
  repairSnapshot(day: string): Promise<void>
  /**
   * Puts a missing or damaged manifest of a day that was sealed back: made again from the day's
   * files, and proven by the record of seals.
   * @param tools what the day may have been rendered with
   * @returns null when it cannot be proven; nothing is changed then
   * @throws ArchiveError `invalid_snapshot`, `conflict`
   */
  repairManifest(day: string, tools: readonly Tools[]): Promise<Manifest | null>
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
    stagedSnapshot: (day) => writing(fixedSnapshot(archive, day)),
    snapshotInPlace: (day) => writing(hasSnapshotInPlace(archive, day)),
    stageSnapshot: (snapshot) => writing(stageSnapshot(archive, snapshot)),
    stageMedium: (day, kind, source, properties = {}) =>
      writing(stageMedium(archive, day, kind, source, properties)),
    discard: (day) => writing(removeStaging(archive, day)),
    seal: (manifest) => writing(seal(archive, manifest)),
    repair: (day, kind, source, properties = {}) =>
      writing(repair(archive, day, kind, source, properties)),
    repairSnapshot: (day) => writing(repairSnapshot(archive, day)),
    repairManifest: (day, tools) => writing(repairManifest(archive, day, tools)),
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
    // A file in the way: the check that follows says so.
    const code = systemCode(error)
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw asWriteError(error, dir)
  }
}

async function stageSnapshot(archive: WritableArchive, snapshot: Snapshot): Promise<void> {
  const name = snapshotName(snapshot.day)
  const bytes = snapshotBytes(snapshot)
  const fixed = await fixedSnapshot(archive, snapshot.day)
  if (fixed && sha256Of(snapshotBytes(fixed)) !== sha256Of(bytes))
    throw new ArchiveError('conflict', `${name}: another snapshot of the day is staged already`)
  await stage(archive, snapshot.day, [bytes], () => name)
}

async function stageMedium(
  archive: WritableArchive,
  day: string,
  kind: MediaKind,
  source: MediumSource,
  properties: MediumProperties,
): Promise<AvailableMedium> {
  const chunks = source instanceof Uint8Array ? [source] : createReadStream(source.file)
  const digest = await stage(archive, day, chunks, ({ sha256 }) => mediaName(sha256, kind))
  if (!(source instanceof Uint8Array)) await archive.disk.remove(source.file)
  return mediumEntry(day, kind, digest, properties)
}

async function repair(
  archive: WritableArchive,
  day: string,
  kind: MediaKind,
  source: MediumSource,
  properties: MediumProperties,
): Promise<Manifest> {
  const manifest = await sealedManifest(archive, day)
  const staged = await stageMedium(archive, day, kind, source, properties)
  return repairMedium(archive, manifest, kind, staged)
}
