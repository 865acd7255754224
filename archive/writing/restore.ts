// Brings back what is missing or damaged in a sealed day, without changing what was published
// (FORMAT.md 14); and adds a medium that could not be made when the day was (FORMAT.md 8.5).
import { join } from 'node:path'
import { nullIf } from '../errors.ts'
import { bytesOf, loadManifest, loadSnapshot, namesIn } from '../files.ts'
import {
  type Manifest,
  type MediumProperties,
  manifestBytes,
  type Tools,
} from '../format/manifest.ts'
import {
  isDay,
  type MediaKind,
  manifestName,
  parseMediaName,
  parseSealName,
  SEALS_FOLDER,
  snapshotName,
} from '../format/paths.ts'
import { addWhole, type MediaFiles, noMedia, provenManifest, toolsIn } from './candidates.ts'
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
 * Puts a missing or damaged medium of a sealed day back.
 * @throws ArchiveError `not_sealed`; `repair_mismatch` when the manifest does not name these bytes;
 *   `conflict` when a folder with files has the medium's name
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
 * Makes an unavailable medium of a sealed day available.
 * @param tools what made it, which its entry then names
 * @returns the manifest that replaces the published one
 * @throws ArchiveError `not_sealed`, `conflict` when the medium is available already
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
 * Puts `<day>.json` of a sealed day back, from the manifest.
 * @throws ArchiveError `not_sealed`, `repair_mismatch`, `conflict`
 */
export async function repairSnapshot(archive: WritableArchive, day: string): Promise<void> {
  const bytes = snapshotToRepair(await sealedManifest(archive, day))
  await stage(archive, day, bytes, snapshotName(day))
  await putBack(archive, day, snapshotName(day))
}

/**
 * Puts the manifest of a day that was sealed back, composed again from `<day>.json` and the media
 * that are there. Only one whose hash is among the seals is taken.
 * @param present the tools here: nothing in a day but its manifest states what it was rendered with,
 *   so these are tried, and those that other days name
 * @returns the manifest; null when none that can be composed is among the seals
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
  const files = await wholeMedia(archive, day)
  const tools = await knownTools(archive, present)
  const manifest = provenManifest(loaded.snapshot, files, tools, seals)
  if (!manifest) return null
  await stage(archive, day, manifestBytes(manifest), manifestName(day))
  await putBack(archive, day, manifestName(day))
  return manifest
}

/**
 * Puts a file of a day back whose hash is proven elsewhere, taken from a copy.
 * @throws ArchiveError `repair_mismatch` when the bytes are others; `conflict`
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

/** The hashes of the manifests that a day was ever sealed with. */
async function sealsOf({ dir }: WritableArchive, day: string): Promise<Set<string>> {
  const seals = (await namesIn(join(dir, SEALS_FOLDER))).map(parseSealName)
  return new Set(seals.flatMap((seal) => (seal?.day === day ? [seal.sha256] : [])))
}

/** The media of a day that have the bytes that their names say. */
async function wholeMedia({ dir }: WritableArchive, day: string): Promise<MediaFiles> {
  const media = noMedia()
  for (const filename of await namesIn(join(dir, day))) {
    const name = parseMediaName(filename)
    const bytes = name && (await bytesOf(dir, day, filename))
    if (bytes) addWhole(media, day, name, bytes)
  }
  return media
}

async function knownTools({ dir }: WritableArchive, present: Tools): Promise<Tools[]> {
  const manifests: Manifest[] = []
  for (const day of (await namesIn(dir)).filter(isDay)) {
    // Another day's damage must not stop this day.
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

/** Moves a staged file to its place, and removes the staging whether or not that can be done. */
async function putBack(archive: WritableArchive, day: string, name: string): Promise<void> {
  try {
    await moveIntoPlace(archive, day, name)
    await archive.disk.syncFolder(join(archive.dir, day))
  } finally {
    await removeStaging(archive, day)
  }
}
