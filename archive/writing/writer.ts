// Writes and repairs days at a place: a folder, or a bucket in which several runs may work at once (WRITING.md 1).
//
// A day is written in this order. Each step may be repeated, because its response may be lost:
//   1. `<day>.leaves`, if the day has messages. Before `<day>.json` is there, a later run replaces
//      them by those of its own snapshot.
//   2. `<day>.json`, if absent. The first run fixes the snapshot, and all later ones continue with it.
//   3. The media files under their hashes. The same snapshot renders to the same bytes, so a second write is harmless.
//   4. The manifest, if absent, which makes the day exist.
// After a kill the next run continues from the fixed snapshot. If it renders with other tools, the killed run's media
// files are named by no manifest: a folder has no other run that needs them, so they are removed before the manifest is
// written; `removeOrphans` removes those in a bucket once the day is sealed and they are old enough.
import { ArchiveError, isArchiveError } from '../base/errors.ts'
import { isDay } from '../format/calendar.ts'
import { refuseContradiction } from '../format/contradictions.ts'
import type { MediumProperties } from '../format/facts.ts'
import { sha256Of } from '../format/hash.ts'
import { parseLeaves } from '../format/leaves.ts'
import {
  type AvailableMedium,
  composeManifest,
  type Manifest,
  type Medium,
  manifestBytes,
  mediumEntry,
  namedFiles,
  type Tools,
} from '../format/manifest.ts'
import type { MediaKind } from '../format/media.ts'
import {
  keyOf,
  leavesKey,
  leavesName,
  manifestKey,
  mediaName,
  parseMediaName,
  snapshotKey,
} from '../format/paths.ts'
import {
  hasMessages,
  type SealedRecords,
  type Snapshot,
  snapshotBytes,
} from '../format/snapshot.ts'
import { compareLeaves } from '../log/sealed-records.ts'
import { isUpgradeOf } from '../log/upgrade.ts'
import { readUsable, type WritablePlace } from '../place/place.ts'
import { readManifest, readSnapshot } from '../reading/day-files.ts'

/** The minimum age of a media file in a bucket to be removed as an orphan; a run may still need a younger one [ms]. */
const ORPHAN_AGE_MS = 24 * 3_600_000

/**
 * Every method may reject with ArchiveError `storage_full`, `archive_unwritable` or `storage_failed`, and with
 * `archive_unavailable` when a file cannot be read. No existing data is lost then, and the call can be repeated.
 */
export class ArchiveWriter {
  readonly #place: WritablePlace
  readonly #isShared: boolean

  /** @param isShared whether other runs may write at the same time; otherwise the caller holds the pipeline's lock */
  constructor(place: WritablePlace, { isShared }: { isShared: boolean }) {
    this.#place = place
    this.#isShared = isShared
  }

  /**
   * Finds the snapshot that an earlier run has fixed for an unsealed day; null when there is none.
   * @throws ArchiveError `invalid_snapshot` when it is damaged
   */
  async fixedSnapshot(day: string): Promise<Snapshot | null> {
    return (await this.#manifest(day)) ? null : this.#snapshot(day)
  }

  /**
   * Fixes the snapshot of a day.
   * @returns the fixed snapshot, which may be that of another run that came first
   * @throws ArchiveError `invalid_snapshot` when it contradicts itself
   */
  async fixSnapshot(snapshot: Snapshot): Promise<Snapshot> {
    refuseContradiction(snapshot)
    const { day } = snapshot
    const key = snapshotKey(day)
    if (await this.#place.putIfAbsent(key, snapshotBytes(snapshot))) return snapshot
    const first = await this.#snapshot(day)
    if (!first) throw new ArchiveError('storage_failed', `${key}: existed and has disappeared`)
    return first
  }

  /**
   * Writes the leaves of a day: before its snapshot is fixed, or to restore them.
   * @throws ArchiveError `leaves_differ` unless they are those of the snapshot's records
   */
  async putLeaves({ day, records }: Snapshot, bytes: Uint8Array): Promise<void> {
    const fault = await faultIn(bytes, records)
    if (fault) throw new ArchiveError('leaves_differ', `${leavesKey(day)}: ${fault}`)
    await this.#place.put(leavesKey(day), bytes)
  }

  /** Whether the leaves of a day are there, and are those of its records. */
  async hasLeaves({ day, records }: Snapshot): Promise<boolean> {
    const file = await readUsable(this.#place, leavesKey(day))
    return file !== null && (await faultIn(file.content, records)) === null
  }

  /**
   * Writes a media file of a day that is not sealed yet.
   * @param properties the duration and dimensions that the manifest states for this kind
   * @returns the file's entry for the manifest
   */
  async putMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties: MediumProperties = {},
  ): Promise<AvailableMedium> {
    const sha256 = sha256Of(bytes)
    // Never rely on a file that an earlier run has left: its size does not show that it is intact.
    await this.#place.put(keyOf(day, mediaName(sha256, kind)), bytes)
    return mediumEntry(day, kind, { sha256, bytes: bytes.length }, properties)
  }

  /**
   * Publishes a day. If it is sealed already, nothing changes: another run may have been first, with other tools.
   * @throws ArchiveError `incomplete_day` when a file that the manifest names does not exist
   */
  async seal(manifest: Manifest): Promise<void> {
    const { day } = manifest
    const bytes = manifestBytes(manifest)
    if (!this.#isShared && (await this.#manifest(day))) return
    for (const file of namedFiles(manifest)) {
      const state = await this.#place.stat(keyOf(day, file.name))
      if (state?.bytes !== file.bytes)
        throw new ArchiveError('incomplete_day', `${keyOf(day, file.name)}: does not exist`)
    }
    if (!this.#isShared) await this.#removeUnnamed(manifest)
    await this.#place.putIfAbsent(manifestKey(day), bytes)
  }

  /**
   * Restores a missing or damaged media file of a sealed day.
   * @throws ArchiveError `not_sealed`; `repair_mismatch` when the manifest does not name these bytes
   */
  async repair(day: string, kind: MediaKind, bytes: Uint8Array): Promise<void> {
    const { manifest } = await this.#sealed(day)
    const medium: Medium | undefined = manifest.media[kind]
    if (!medium?.available) throw mismatch(`${day}: its manifest names no ${kind}`)
    const key = keyOf(day, medium.filename)
    const sha256 = sha256Of(bytes)
    if (sha256 !== medium.sha256)
      throw mismatch(`${key}: what was rendered now has the SHA-256 ${sha256}`)
    await this.#place.put(key, bytes)
  }

  /**
   * Adds a media file that a sealed day's manifest states as unavailable.
   * @param tools the tools that rendered it
   * @returns the manifest that replaces the published one
   * @throws ArchiveError `not_sealed`; `conflict` when the file is available already
   */
  async addMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties: MediumProperties,
    tools: Tools,
  ): Promise<Manifest> {
    const { manifest, version } = await this.#sealed(day)
    const { snapshot, media, rendered_with } = manifest
    if (media[kind]?.available)
      throw new ArchiveError('conflict', `${day}: its ${kind} is available already`)
    const medium = await this.putMedium(day, kind, bytes, properties)
    const added = { ...media, [kind]: { ...medium, rendered_with: tools } }
    const next = composeManifest(snapshot, added, rendered_with)
    // A manifest with a wrong snapshot hash would be recomposed with the right one, which is no upgrade.
    if (!isUpgradeOf(next, sha256Of(manifestBytes(manifest))))
      throw new ArchiveError('conflict', `${day}: would not be an upgrade`)
    if (!this.#isShared) await this.#removeUnnamed(next)
    const key = manifestKey(day)
    if ((await this.#place.replace(key, manifestBytes(next), version)) === null)
      throw new ArchiveError('conflict', `${key}: another run has replaced it`)
    return next
  }

  /**
   * Restores a missing or damaged `<day>.json` of a sealed day from its manifest.
   * @throws ArchiveError `not_sealed`, `repair_mismatch`
   */
  async repairSnapshot(day: string): Promise<void> {
    const { snapshot, snapshot_file } = (await this.#sealed(day)).manifest
    const bytes = snapshotBytes(snapshot)
    if (sha256Of(bytes) !== snapshot_file.sha256)
      throw mismatch(`${manifestKey(day)}: its snapshot does not have the hash that it names`)
    await this.#place.put(snapshotKey(day), bytes)
  }

  /**
   * Restores a file of a day from a copy.
   * @param sha256 the file's proven hash
   * @throws ArchiveError `repair_mismatch` when the copy has other bytes
   */
  async restoreFile(day: string, name: string, bytes: Uint8Array, sha256: string): Promise<void> {
    const key = keyOf(day, name)
    if (sha256Of(bytes) !== sha256) throw mismatch(`${key}: the copy has other bytes`)
    await this.#place.put(key, bytes)
  }

  /**
   * Removes media files of a sealed day that its manifest does not name, and leaves of one without messages, once no run
   * can still need them.
   * @param now wall-clock time [ms since 1970]
   * @returns the names of the removed files
   */
  async removeOrphans(day: string, now: number): Promise<string[]> {
    const sealed = await this.#manifest(day)
    if (!sealed) return []
    return this.#removeUnnamed(sealed.manifest, this.#isShared ? now - ORPHAN_AGE_MS : undefined)
  }

  /** @param newest the latest time at which a file to be removed was written [ms since 1970]; any by default */
  async #removeUnnamed(manifest: Manifest, newest = Number.POSITIVE_INFINITY): Promise<string[]> {
    const { day } = manifest
    const named = namedFiles(manifest).map((file) => file.name)
    if (hasMessages(manifest.snapshot.records)) named.push(leavesName(day))
    const removed: string[] = []
    for (const { name, modifiedAt } of await this.#place.list(day)) {
      const isWritten = parseMediaName(name) !== null || name === leavesName(day)
      if (!isWritten || named.includes(name) || modifiedAt > newest) continue
      await this.#place.remove(keyOf(day, name))
      removed.push(name)
    }
    return removed
  }

  async #manifest(day: string) {
    return isDay(day) ? readManifest(this.#place, day) : null
  }

  async #sealed(day: string) {
    const sealed = await this.#manifest(day)
    if (!sealed) throw new ArchiveError('not_sealed', `${day}: is not sealed`)
    return sealed
  }

  async #snapshot(day: string): Promise<Snapshot | null> {
    return (await readSnapshot(this.#place, day))?.snapshot ?? null
  }
}

/** Returns why bytes are not the leaves of a day with these records; null if they are. */
async function faultIn(bytes: Uint8Array, records: SealedRecords): Promise<string | null> {
  if (!hasMessages(records)) return 'is of a day without messages'
  try {
    return (await compareLeaves(parseLeaves(bytes), records)).fault
  } catch (error) {
    if (isArchiveError(error, 'leaves_differ')) return error.message
    throw error
  }
}

function mismatch(message: string): ArchiveError {
  return new ArchiveError('repair_mismatch', message)
}
