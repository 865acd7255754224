// The rules for changing a sealed day, which the writers of folders and object stores share. Pure.
import { ArchiveError } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  composeManifest,
  type Manifest,
  type Medium,
  type Tools,
} from '../format/manifest.ts'
import type { MediaKind } from '../format/media.ts'
import { keyOf, manifestKey } from '../format/paths.ts'
import { snapshotBytes } from '../format/snapshot.ts'

/** The error for a day that has no manifest. */
export function notSealed(day: string): ArchiveError {
  return new ArchiveError('not_sealed', `${day}: is not sealed`)
}

/** Returns the entry of the media file to restore. @throws ArchiveError `repair_mismatch` when it is unavailable */
export function mediumToRepair({ day, media }: Manifest, kind: MediaKind): AvailableMedium {
  const medium: Medium | undefined = media[kind]
  if (medium?.available) return medium
  throw new ArchiveError('repair_mismatch', `${day}: its manifest names no ${kind}`)
}

/** The error for a media file that rendered to other bytes than were published. */
export function renderedOtherwise(
  day: string,
  { filename }: AvailableMedium,
  sha256: string,
): ArchiveError {
  return new ArchiveError(
    'repair_mismatch',
    `${keyOf(day, filename)}: what was rendered now has the SHA-256 ${sha256}`,
  )
}

/** @throws ArchiveError `conflict` when the media file is available already */
export function refuseAvailable({ day, media }: Manifest, kind: MediaKind): void {
  const medium: Medium | undefined = media[kind]
  if (medium?.available)
    throw new ArchiveError('conflict', `${day}: its ${kind} is available already`)
}

/** Composes the manifest with a media file added. @param tools the tools that rendered the file */
export function withMedium(
  { snapshot, media, rendered_with }: Manifest,
  kind: MediaKind,
  medium: AvailableMedium,
  tools: Tools,
): Manifest {
  const added = { ...media, [kind]: { ...medium, rendered_with: tools } }
  return composeManifest(snapshot, added, rendered_with)
}

/**
 * Serializes `<day>.json` from the manifest.
 * @throws ArchiveError `repair_mismatch` when the result does not have the hash that the manifest names
 */
export function snapshotToRepair({ day, snapshot, snapshot_file }: Manifest): Uint8Array {
  const bytes = snapshotBytes(snapshot)
  if (sha256Of(bytes) === snapshot_file.sha256) return bytes
  throw new ArchiveError(
    'repair_mismatch',
    `${manifestKey(day)}: its snapshot does not have the hash that it names`,
  )
}

/** @throws ArchiveError `repair_mismatch` when a copy does not have the expected hash */
export function refuseOtherCopy(day: string, name: string, copy: Uint8Array, sha256: string): void {
  if (sha256Of(copy) !== sha256)
    throw new ArchiveError('repair_mismatch', `${keyOf(day, name)}: the copy has other bytes`)
}
