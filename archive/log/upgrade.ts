// Decides which manifests of a day may follow each other in the log (FORMAT.md 15.4). Pure.
import { sha256Of } from '../format/hash.ts'
import {
  type Manifest,
  type Medium,
  manifestBytes,
  UNAVAILABLE_REASONS,
} from '../format/manifest.ts'
import { byKind } from '../format/media.ts'
import { LOG_FILE } from '../format/paths.ts'
import type { Leaf } from './days.ts'

type Media = Manifest['media']

/**
 * Whether a manifest is an upgrade of the one with that hash, which is known only by its hash: making one or
 * more available media unavailable again must give that hash.
 */
export function isUpgradeOf(manifest: Manifest, sha256: string): boolean {
  const media = mediaByHash(manifest).get(sha256)
  return media !== undefined && onlyAdds(media, manifest.media)
}

/**
 * Checks that each leaf of a day is an upgrade of the one before. The earlier manifests no longer exist, so what is
 * known about them must follow from the newest.
 * @param manifest the newest
 * @param leaves all leaves of its day, oldest first; the last is that of the manifest
 * @returns the fault, which names two lines of the log; null if there is none
 */
export function faultInLeaves(manifest: Manifest, leaves: readonly Leaf[]): string | null {
  if (leaves.length < 2) return null
  const media = mediaByHash(manifest)
  // From the newest, which is known, so that the two leaves named are those that disagree.
  for (let at = leaves.length - 1; at > 0; at -= 1) {
    const [earlier, later] = [leaves[at - 1] as Leaf, leaves[at] as Leaf]
    const [before, after] = [media.get(earlier.sha256), media.get(later.sha256)]
    const lines = `lines ${earlier.index + 1} and ${later.index + 1} of ${LOG_FILE}`
    if (earlier.sha256 === later.sha256) return `${lines} name the same manifest`
    if (!before || !after || !onlyAdds(before, after))
      return `${lines} name two manifests, and the second is not an upgrade of the first`
  }
  return null
}

/** All states that the media of a manifest may have had, three for each kind, by the hash that the manifest had then. */
function mediaByHash(manifest: Manifest): Map<string, Media> {
  const hashOf = (media: Media) => sha256Of(manifestBytes({ ...manifest, media }))
  return new Map(possibleMedia(manifest.media).map((media) => [hashOf(media), media]))
}

/** The media as they are, and with each selection of the available ones still unavailable. */
function possibleMedia(media: Media): Media[] {
  const before: Medium[] = UNAVAILABLE_REASONS.map((reason) => ({ available: false, reason }))
  const available = byKind<Medium>(media).filter(([, medium]) => medium.available)
  return available.reduce<Media[]>(
    (all, [kind]) =>
      all.flatMap((one) => [one, ...before.map((medium) => ({ ...one, [kind]: medium }))]),
    [media],
  )
}

/** Whether media became available and nothing else changed. @param before like `after`, a state of the same manifest */
function onlyAdds(before: Media, after: Media): boolean {
  const reasonOf = (medium: Medium | undefined) => (medium?.available ? null : medium?.reason)
  const changed = byKind<Medium>(after).filter(
    ([kind, medium]) => reasonOf(before[kind]) !== reasonOf(medium),
  )
  return changed.length > 0 && changed.every(([, medium]) => medium.available)
}
