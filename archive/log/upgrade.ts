// Decides whether a manifest may follow another of the same day in the log (FORMAT.md 17.4).
import { sha256Of } from '../format/hash.ts'
import {
  type Manifest,
  type Medium,
  manifestBytes,
  UNAVAILABLE_REASONS,
} from '../format/manifest.ts'
import { MEDIA_KINDS } from '../format/paths.ts'

/**
 * Whether a manifest is an upgrade of the one with that hash, which is known only by its hash: making one or
 * more available media unavailable again must give that hash.
 */
export function isUpgradeOf(manifest: Manifest, sha256: string): boolean {
  return earlierMedia(manifest).some(
    (media) => sha256Of(manifestBytes({ ...manifest, media })) === sha256,
  )
}

/** All states that the media may have had before, at most 26. */
function earlierMedia({ media }: Manifest): Manifest['media'][] {
  let earlier: Manifest['media'][] = [media]
  for (const kind of MEDIA_KINDS) {
    if (!media[kind].available) continue
    const before: Medium[] = UNAVAILABLE_REASONS.map((reason) => ({ available: false, reason }))
    earlier = earlier.flatMap((one) => [
      one,
      ...before.map((medium) => ({ ...one, [kind]: medium })),
    ])
  }
  return earlier.slice(1)
}
