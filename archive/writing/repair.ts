// Brings back what is missing or damaged in a sealed day, without changing what was published.
import { join } from 'node:path'
import { ArchiveError } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  composeManifest,
  type Manifest,
  manifestBytes,
  type Tools,
} from '../format/manifest.ts'
import { type MediaKind, manifestName, snapshotName } from '../format/paths.ts'
import { snapshotBytes } from '../format/snapshot.ts'
import { provenManifest } from './rebuild.ts'
import { commit } from './seal.ts'
import {
  makeRoom,
  publishedManifest,
  removeStaging,
  stage,
  stagingOf,
  type WritableArchive,
} from './staging.ts'

/**
 * Puts a staged medium of a sealed day in its place.
 * @param manifest the published one
 * @returns the manifest as it is published then
 * @throws ArchiveError `repair_mismatch`; `conflict` when a folder with files is in its place
 */
export async function repairMedium(
  archive: WritableArchive,
  manifest: Manifest,
  kind: MediaKind,
  staged: AvailableMedium,
): Promise<Manifest> {
  const { day } = manifest
  const medium = manifest.media[kind]
  if (!medium.available) {
    const next = composeManifest(
      manifest.snapshot,
      { ...manifest.media, [kind]: staged },
      manifest.rendered_with,
    )
    await commit(archive, next)
    return next
  }
  if (staged.sha256 === medium.sha256) {
    await putBack(archive, day, medium.filename)
    return manifest
  }
  await removeStaging(archive, day)
  throw new ArchiveError(
    'repair_mismatch',
    `${day}/${medium.filename}: what was rendered now has the SHA-256 ${staged.sha256}`,
  )
}

/**
 * Puts `<day>.json` of a sealed day in its place, from the manifest.
 * @throws ArchiveError `not_sealed`, `repair_mismatch`, `conflict`
 */
export async function repairSnapshot(archive: WritableArchive, day: string): Promise<void> {
  const manifest = await sealedManifest(archive, day)
  const bytes = snapshotBytes(manifest.snapshot)
  if (sha256Of(bytes) !== manifest.snapshot_file.sha256)
    throw new ArchiveError(
      'repair_mismatch',
      `${day}/${manifestName(day)}: its snapshot does not have the hash that it names`,
    )
  await stage(archive, day, [bytes], () => snapshotName(day))
  await putBack(archive, day, snapshotName(day))
}

/**
 * Puts the manifest of a day that was sealed in its place, where it can be proven what it said.
 * @returns the manifest; null when it cannot be proven
 * @throws ArchiveError `invalid_snapshot`, `conflict`
 */
export async function repairManifest(
  archive: WritableArchive,
  day: string,
  tools: readonly Tools[],
): Promise<Manifest | null> {
  const manifest = await provenManifest(archive, day, tools)
  if (!manifest) return null
  await stage(archive, day, [manifestBytes(manifest)], () => manifestName(day))
  await putBack(archive, day, manifestName(day))
  return manifest
}

/** @throws ArchiveError `not_sealed` */
export async function sealedManifest(archive: WritableArchive, day: string): Promise<Manifest> {
  const manifest = await publishedManifest(archive, day)
  if (!manifest) throw new ArchiveError('not_sealed', `${day}: is not sealed`)
  return manifest
}

/** Moves a staged file to its place, and clears the staging whether or not that can be done. */
async function putBack(archive: WritableArchive, day: string, name: string): Promise<void> {
  const target = join(archive.dir, day)
  try {
    await makeRoom(archive, day, name)
    await archive.disk.rename(join(stagingOf(archive, day), name), join(target, name))
    await archive.disk.syncFolder(target)
  } finally {
    await removeStaging(archive, day)
  }
}
