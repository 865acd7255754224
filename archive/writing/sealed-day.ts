// What may change in a sealed day: the rules that the writers of a folder and of a store share. Pure.
import { ArchiveError } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  composeManifest,
  type Manifest,
  type Tools,
} from '../format/manifest.ts'
import { type MediaKind, manifestKey } from '../format/paths.ts'
import { snapshotBytes } from '../format/snapshot.ts'

/** Of a day that has no manifest. */
export function notSealed(day: string): ArchiveError {
  return new ArchiveError('not_sealed', `${day}: is not sealed`)
}

/** The medium that is to be put back. @throws ArchiveError `repair_mismatch` when the manifest names none */
export function mediumToRepair({ day, media }: Manifest, kind: MediaKind): AvailableMedium {
  const medium = media[kind]
  if (medium.available) return medium
  throw new ArchiveError('repair_mismatch', `${day}: its manifest names no ${kind}`)
}

/** Of a medium that was rendered again, and has other bytes than were published. */
export function renderedOtherwise(
  day: string,
  { filename }: AvailableMedium,
  sha256: string,
): ArchiveError {
  return new ArchiveError(
    'repair_mismatch',
    `${day}/${filename}: what was rendered now has the SHA-256 ${sha256}`,
  )
}

/** @throws ArchiveError `conflict` when there is nothing to add */
export function refuseAvailable({ day, media }: Manifest, kind: MediaKind): void {
  if (media[kind].available)
    throw new ArchiveError('conflict', `${day}: its ${kind} is available already`)
}

/** The manifest that replaces the published one once a medium is available. @param tools what made it */
export function withMedium(
  { snapshot, media, rendered_with }: Manifest,
  kind: MediaKind,
  medium: AvailableMedium,
  tools: Tools,
): Manifest {
  const added = { ...media, [kind]: { ...medium, rendered_with: tools } }
  return composeManifest(snapshot, added, rendered_with)
}

/** The bytes of `<day>.json`, from the manifest. @throws ArchiveError `repair_mismatch` */
export function snapshotToRepair({ day, snapshot, snapshot_file }: Manifest): Uint8Array {
  const bytes = snapshotBytes(snapshot)
  if (sha256Of(bytes) === snapshot_file.sha256) return bytes
  throw new ArchiveError(
    'repair_mismatch',
    `${manifestKey(day)}: its snapshot does not have the hash that it names`,
  )
}

/** @throws ArchiveError `repair_mismatch` when a copy does not have the proven hash */
export function refuseOtherCopy(day: string, name: string, copy: Uint8Array, sha256: string): void {
  if (sha256Of(copy) !== sha256)
    throw new ArchiveError('repair_mismatch', `${day}/${name}: the copy has other bytes`)
}
