// Restores missing or damaged files of a sealed day, byte for byte (FORMAT.md 14), and adds media files
// that could not be rendered when the day was sealed (FORMAT.md 8.5).

import { join } from 'node:path'
import { nullIf } from '../errors.ts'
import { bytesOf, loadManifest, loadSnapshot, namesIn } from '../files.ts'
import type { MediumProperties } from '../format/facts.ts'
import { type Manifest, manifestBytes, type Tools } from '../format/manifest.ts'
import type { MediaKind } from '../format/media.ts'
import {
  isDay,
  manifestName,
  parseMediaName,
  parseSealName,
  SEALS_FOLDER,
  snapshotName,
} from '../format/paths.ts'
import { addIfIntact, type MediaFiles, noMedia, provenManifest, toolsIn } from './candidates.ts'
import { commit } from './seal.ts'
import {
  mediumToRepair,
  notSealed,
  refuseAvailable,
  refuseOtherCopy,
  renderedOtherwise,
  snapshotToRepair,
  withMedium,
} from './sealed-day.ts'
import {
  moveIntoPlace,
  publishedManifest,
  removeStaging,
  stage,
  stageMedium,
  type WritableArchive,
} from './staging.ts'

/**
 * Restores a missing or damaged media file of a sealed day.
 * @throws ArchiveError `not_sealed`; `repair_mismatch` when the manifest does not name these bytes;
 *   `conflict` when a non-empty folder has the file's name
 */
export async function repairMedium(
  archive: WritableArchive,
  day: string,
  kind: MediaKind,
  bytes: Uint8Array,
): Promise<void> {
  const medium = mediumToRepair(await sealedManifest(archive, day), kind)
  const staged = await stageMedium(archive, day, kind, bytes, {})
  if (staged.sha256 === medium.sha256) return putBack(archive, day, medium.filename)
  await removeStaging(archive, day)
  throw renderedOtherwise(day, medium, staged.sha256)
}

/**
 * Adds a media file that a sealed day's manifest states as unavailable.
 * @param tools the tools that rendered it, recorded in its entry
 * @returns the manifest that replaces the published one
 * @throws ArchiveError `not_sealed`; `conflict` when the file is available already
 */
export async function addMedium(
  archive: WritableArchive,
  day: string,
  kind: MediaKind,
  bytes: Uint8Array,
  properties: MediumProperties,
  tools: Tools,
): Promise<Manifest> {
  const published = await sealedManifest(archive, day)
  refuseAvailable(published, kind)
  const staged = await stageMedium(archive, day, kind, bytes, properties)
  const manifest = withMedium(published, kind, staged, tools)
  await commit(archive, manifest)
  return manifest
}

/**
 * Restores `<day>.json` of a sealed day from its manifest.
 * @throws ArchiveError `not_sealed`, `repair_mismatch`, `conflict`
 */
export async function repairSnapshot(archive: WritableArchive, day: string): Promise<void> {
  const bytes = snapshotToRepair(await sealedManifest(archive, day))
  await stage(archive, day, bytes, snapshotName(day))
  await putBack(archive, day, snapshotName(day))
}

/**
 * Restores the manifest of a sealed day: recomposes it from `<day>.json` and the intact media files,
 * and accepts it only if its hash is among the seals.
 * @param present the current tools. Only the lost manifest stated what the day was rendered with, so
 *   these are tried, and those that other days' manifests name
 * @returns the manifest; null when no candidate is among the seals
 * @throws ArchiveError `invalid_snapshot`, `conflict`
 */
export async function repairManifest(
  archive: WritableArchive,
  day: string,
  present: Tools,
): Promise<Manifest | null> {
  const loaded = await loadSnapshot(archive.dir, day, day)
  const seals = await sealsOf(archive, day)
  if (!loaded || seals.size === 0) return null
  const files = await intactMedia(archive, day)
  const tools = await knownTools(archive, present)
  const manifest = provenManifest(loaded.snapshot, files, tools, seals)
  if (!manifest) return null
  await stage(archive, day, manifestBytes(manifest), manifestName(day))
  await putBack(archive, day, manifestName(day))
  return manifest
}

/**
 * Restores a file of a day from a copy.
 * @param sha256 the file's proven hash
 * @throws ArchiveError `repair_mismatch` when the bytes do not have this hash; `conflict`
 */
export async function restoreFile(
  archive: WritableArchive,
  day: string,
  name: string,
  bytes: Uint8Array,
  sha256: string,
): Promise<void> {
  refuseOtherCopy(day, name, bytes, sha256)
  await archive.disk.makeFolder(join(archive.dir, day))
  await archive.disk.syncFolder(archive.dir)
  await stage(archive, day, bytes, name)
  await putBack(archive, day, name)
}

/** Returns the hashes of all manifests that a day was ever sealed with. */
async function sealsOf({ dir }: WritableArchive, day: string): Promise<Set<string>> {
  const seals = (await namesIn(join(dir, SEALS_FOLDER))).map(parseSealName)
  return new Set(seals.flatMap((seal) => (seal?.day === day ? [seal.sha256] : [])))
}

/** Returns the media files of a day whose content matches the hash in their names. */
async function intactMedia({ dir }: WritableArchive, day: string): Promise<MediaFiles> {
  const media = noMedia()
  for (const filename of await namesIn(join(dir, day))) {
    const name = parseMediaName(filename)
    const bytes = name && (await bytesOf(dir, day, filename))
    if (bytes) addIfIntact(media, day, name, bytes)
  }
  return media
}

async function knownTools({ dir }: WritableArchive, present: Tools): Promise<Tools[]> {
  const manifests: Manifest[] = []
  for (const day of (await namesIn(dir)).filter(isDay)) {
    // Damage to another day must not prevent this repair.
    const loaded = await loadManifest(dir, day, day).catch(nullIf('invalid_manifest'))
    if (loaded) manifests.push(loaded.manifest)
  }
  return toolsIn(manifests, present)
}

async function sealedManifest(archive: WritableArchive, day: string): Promise<Manifest> {
  const manifest = await publishedManifest(archive, day)
  if (!manifest) throw notSealed(day)
  return manifest
}

/** Moves a staged file into the day's folder, and removes the staging folder even if that fails. */
async function putBack(archive: WritableArchive, day: string, name: string): Promise<void> {
  try {
    await moveIntoPlace(archive, day, name)
    await archive.disk.syncFolder(join(archive.dir, day))
  } finally {
    await removeStaging(archive, day)
  }
}
