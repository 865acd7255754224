// What of the archive is here: all of it, but for a mirror that has selected fewer kinds of media (FORMAT.md 21).
import type { Manifest } from '../../archive/format/manifest.ts'
import { MEDIA_KINDS, type MediaKind } from '../../archive/format/paths.ts'
import type { ArchiveReader } from '../../archive/reader.ts'

/** A medium that was made, and that this mirror does not select. */
interface NotMirrored {
  available: false
  reason: 'not_mirrored'
}

/** A manifest as pages show it: media that are not here are not offered. */
export type HeldManifest = Omit<Manifest, 'media'> & {
  media: { [Kind in MediaKind]: Manifest['media'][Kind] | NotMirrored }
}

/** The kinds of media that are here. */
export async function kindsIn(archive: ArchiveReader): Promise<readonly MediaKind[]> {
  return (await archive.mirror())?.media ?? MEDIA_KINDS
}

export function heldManifest(manifest: Manifest, kinds: readonly MediaKind[]): HeldManifest {
  const held = <Kind extends MediaKind>(kind: Kind) => {
    const medium = manifest.media[kind]
    const isLeftOut = medium.available && !kinds.includes(kind)
    return isLeftOut ? ({ available: false, reason: 'not_mirrored' } as const) : medium
  }
  return { ...manifest, media: { wav: held('wav'), mp4: held('mp4'), png: held('png') } }
}
