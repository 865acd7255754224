// Determines which media this service has: all kinds, unless it is a mirror that copies only some (FORMAT.md 21).
import type { Manifest, Medium } from '../../archive/format/manifest.ts'
import { byKind, MEDIA_KINDS, type MediaKind } from '../../archive/format/media.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'

/** A medium that exists at the source but that this mirror does not copy. */
interface NotMirrored {
  available: false
  reason: 'not_mirrored'
}

/** A manifest for pages, in which media that this mirror does not copy are unavailable. */
export type ServedManifest = Omit<Manifest, 'media'> & {
  media: { [Kind in keyof Manifest['media']]: Manifest['media'][Kind] | NotMirrored }
}

export type ServedMedium = Medium | NotMirrored

/** The kinds of media that this service has. */
export async function servedKinds(archive: ArchiveReader): Promise<readonly MediaKind[]> {
  return (await archive.mirror())?.media ?? MEDIA_KINDS
}

export function servedManifest(manifest: Manifest, kinds: readonly MediaKind[]): ServedManifest {
  const omitted = byKind<Medium>(manifest.media)
    .filter(([kind, medium]) => medium.available && !kinds.includes(kind))
    .map(([kind]): [MediaKind, NotMirrored] => [kind, { available: false, reason: 'not_mirrored' }])
  return { ...manifest, media: { ...manifest.media, ...Object.fromEntries(omitted) } }
}
