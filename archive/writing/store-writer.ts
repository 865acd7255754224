// Writes and repairs days in an object store, where several runs may work at once (FORMAT.md 22).
//
// A day is written in this order. Each step may be repeated, because its response may be lost:
//   1. `<day>.json` by put-if-absent. The first run fixes the snapshot, and the others continue with it.
//   2. The media files under their hashes. The same snapshot renders to the same bytes, so a second write is harmless.
//   3. The manifest by put-if-absent, which makes the day exist.
// After a kill the next run continues from the fixed snapshot. If it renders with other tools, it leaves media files
// that no manifest names; `removeOrphans` removes these once the day is sealed and they are old enough.

import { ArchiveError, naming, nullIf } from '../errors.ts'
import { manifestOf, snapshotOf } from '../files.ts'
import { refuseContradiction } from '../format/contradictions.ts'
import type { MediumProperties } from '../format/facts.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  isUpgrade,
  type Manifest,
  manifestBytes,
  mediumEntry,
  namedFiles,
  type Tools,
} from '../format/manifest.ts'
import type { MediaKind } from '../format/media.ts'
import {
  isDay,
  keyOf,
  LOG_FILE,
  manifestKey,
  mediaName,
  parseMediaName,
  snapshotKey,
} from '../format/paths.ts'
import { type Snapshot, snapshotBytes } from '../format/snapshot.ts'
import { parseLog } from '../log/days.ts'
import type { WritablePlace } from '../place/place.ts'
import { addIfIntact, noMedia, provenManifest, toolsIn } from './candidates.ts'
import {
  mediumToRepair,
  notSealed,
  refuseAvailable,
  refuseOtherCopy,
  renderedOtherwise,
  snapshotToRepair,
  withMedium,
} from './sealed-day.ts'
import type { FixedSnapshot } from './staging.ts'
import type { ArchiveWriter } from './writer.ts'

/** The minimum age of a media file to be removed as an orphan; a run may still need a younger one [ms]. */
const ORPHAN_AGE_MS = 24 * 3_600_000

/** The number of days before and after a lost manifest whose tools are tried to recompose it. */
const DAYS_AROUND = 5

/** Opens a writer for a place with conditional writes, which needs no lock. */
export function storeWriter(place: WritablePlace): ArchiveWriter {
  return new StoreWriter(place)
}

class StoreWriter implements ArchiveWriter {
  readonly #place: WritablePlace

  constructor(place: WritablePlace) {
    this.#place = place
  }

  /** Does nothing: a store has no staging. The next run continues from the fixed snapshot. */
  async recover() {
    return { completed: [], failed: [] }
  }

  async fixedSnapshot(day: string): Promise<FixedSnapshot | null> {
    if (await this.#manifest(day)) return null
    const snapshot = await this.#snapshot(day)
    return snapshot && { snapshot, inPlace: true }
  }

  async stageSnapshot(snapshot: Snapshot): Promise<Snapshot> {
    refuseContradiction(snapshot)
    const { day } = snapshot
    const key = snapshotKey(day)
    if (await this.#place.putIfAbsent(key, snapshotBytes(snapshot))) return snapshot
    const first = await this.#snapshot(day)
    if (!first) throw new ArchiveError('storage_failed', `${key}: existed and has disappeared`)
    return first
  }

  async stageMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties: MediumProperties = {},
  ): Promise<AvailableMedium> {
    const sha256 = sha256Of(bytes)
    // Never rely on an object that an earlier run has left: a HEAD shows its size, but not that it is intact.
    await this.#place.put(keyOf(day, mediaName(sha256, kind)), bytes)
    return mediumEntry(day, kind, { sha256, bytes: bytes.length }, properties)
  }

  /** Does nothing: another run may be working with the fixed snapshot. */
  async discard(): Promise<void> {}

  async seal(manifest: Manifest): Promise<void> {
    const { day } = manifest
    for (const file of namedFiles(manifest)) {
      const state = await this.#place.stat(keyOf(day, file.name))
      if (state?.bytes !== file.bytes)
        throw new ArchiveError('incomplete_staging', `${keyOf(day, file.name)}: does not exist`)
    }
    // If this finds another manifest, another run with other tools has sealed the day first. That is fine.
    await this.#place.putIfAbsent(manifestKey(day), manifestBytes(manifest))
  }

  async repair(day: string, kind: MediaKind, bytes: Uint8Array): Promise<void> {
    const medium = mediumToRepair((await this.#sealed(day)).manifest, kind)
    const sha256 = sha256Of(bytes)
    if (sha256 !== medium.sha256) throw renderedOtherwise(day, medium, sha256)
    await this.#place.put(keyOf(day, medium.filename), bytes)
  }

  async addMedium(
    day: string,
    kind: MediaKind,
    bytes: Uint8Array,
    properties: MediumProperties,
    tools: Tools,
  ): Promise<Manifest> {
    const { manifest, version } = await this.#sealed(day)
    refuseAvailable(manifest, kind)
    const staged = await this.stageMedium(day, kind, bytes, properties)
    const next = withMedium(manifest, kind, staged, tools)
    // A manifest with a wrong snapshot hash would be recomposed with the right one, which is no upgrade.
    if (!isUpgrade(manifest, next))
      throw new ArchiveError('conflict', `${day}: would not be an upgrade`)
    const key = manifestKey(day)
    if ((await this.#place.replace(key, manifestBytes(next), version)) === null)
      throw new ArchiveError('conflict', `${key}: another run has replaced it`)
    return next
  }

  async repairSnapshot(day: string): Promise<void> {
    const bytes = snapshotToRepair((await this.#sealed(day)).manifest)
    await this.#place.put(snapshotKey(day), bytes)
  }

  /** Proves the manifest by the leaves of the log, because a store has no seals. */
  async repairManifest(day: string, present: Tools): Promise<Manifest | null> {
    const log = await this.#place.get(LOG_FILE)
    const entries = log ? naming(LOG_FILE, () => parseLog(log.content)) : []
    const leaves = entries.filter((leaf) => leaf.day === day)
    const snapshot = leaves.length > 0 ? await this.#snapshot(day) : null
    if (!snapshot) return null
    const files = noMedia()
    for (const { name } of await this.#place.list(day)) {
      const medium = parseMediaName(name)
      const file = medium && (await this.#place.get(keyOf(day, name)))
      if (file) addIfIntact(files, day, medium, file.content)
    }
    const known = new Set(leaves.map(({ sha256 }) => sha256))
    const tools = toolsIn(await this.#manifestsAround(day), present)
    const manifest = provenManifest(snapshot, files, tools, known)
    if (manifest) await this.#place.put(manifestKey(day), manifestBytes(manifest))
    return manifest
  }

  async restoreFile(day: string, name: string, bytes: Uint8Array, sha256: string): Promise<void> {
    refuseOtherCopy(day, name, bytes, sha256)
    await this.#place.put(keyOf(day, name), bytes)
  }

  async removeOrphans(day: string, now: number): Promise<string[]> {
    const sealed = await this.#manifest(day)
    if (!sealed) return []
    const named = namedFiles(sealed.manifest).map((file) => file.name)
    const removed: string[] = []
    for (const { name, modifiedAt } of await this.#place.list(day)) {
      if (!parseMediaName(name) || named.includes(name) || now - modifiedAt < ORPHAN_AGE_MS)
        continue
      await this.#place.remove(keyOf(day, name))
      removed.push(name)
    }
    return removed
  }

  async #manifest(day: string) {
    const key = manifestKey(day)
    const file = isDay(day) ? await this.#place.get(key) : null
    return file && { ...manifestOf(file.content, key, day), version: file.version }
  }

  /** Reads the manifests of neighbouring days, which were probably rendered with the same tools. */
  async #manifestsAround(day: string): Promise<Manifest[]> {
    const days = (await this.#place.folders()).filter(isDay).sort()
    const index = days.indexOf(day)
    const around = days.slice(Math.max(0, index - DAYS_AROUND), index + DAYS_AROUND + 1)
    const manifests: Manifest[] = []
    for (const other of around) {
      // Damage to another day must not prevent this repair.
      const found = await this.#manifest(other).catch(nullIf('invalid_manifest'))
      if (found) manifests.push(found.manifest)
    }
    return manifests
  }

  async #sealed(day: string) {
    const sealed = await this.#manifest(day)
    if (!sealed) throw notSealed(day)
    return sealed
  }

  async #snapshot(day: string): Promise<Snapshot | null> {
    const key = snapshotKey(day)
    const file = await this.#place.get(key)
    return file && snapshotOf(file.content, key, day).snapshot
  }
}
