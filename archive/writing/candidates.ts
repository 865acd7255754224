// Recomposes a day's lost manifest from its files: tries every possible one until a hash matches a known one. Pure.

import { sha256Of } from '../format/hash.ts'
import {
  type AvailableMedium,
  composeManifest,
  type Manifest,
  type Medium,
  manifestBytes,
  mediumEntry,
  type Tools,
  UNAVAILABLE_REASONS,
  type UnavailableReason,
} from '../format/manifest.ts'
import type { MediaKind } from '../format/media.ts'
import { factsOf } from '../format/media.ts'
import type { Snapshot } from '../format/snapshot.ts'

/** The intact media files of a day, by kind. */
export type MediaFiles = Record<MediaKind, AvailableMedium[]>

export function noMedia(): MediaFiles {
  return { wav: [], mp4: [], png: [] }
}

/** Adds a media file if its content has the hash in its name. */
export function addIfIntact(
  media: MediaFiles,
  day: string,
  { kind, sha256 }: { kind: MediaKind; sha256: string },
  bytes: Uint8Array,
): void {
  const facts = factsOf(kind, bytes)
  if (facts && sha256Of(bytes) === sha256)
    media[kind].push(mediumEntry(day, kind, { sha256, bytes: bytes.length }, facts))
}

/**
 * Finds the manifest whose hash is known.
 * @param known hashes of all manifests that the day was ever sealed with
 * @returns null when no candidate matches
 */
export function provenManifest(
  snapshot: Snapshot,
  files: MediaFiles,
  tools: readonly Tools[],
  known: ReadonlySet<string>,
): Manifest | null {
  for (const manifest of candidates(snapshot, files, tools))
    if (known.has(sha256Of(manifestBytes(manifest)))) return manifest
  return null
}

/** The current tools, those of other days' manifests, and all of these without ffmpeg. */
export function toolsIn(manifests: readonly Manifest[], present: Tools): Tools[] {
  const found = [present]
  for (const { media, rendered_with } of manifests) {
    found.push(rendered_with)
    for (const medium of Object.values(media))
      if (medium.available && medium.rendered_with) found.push(medium.rendered_with)
  }
  const all = found.flatMap((tools) => [tools, { ...tools, ffmpeg: null }])
  return [...new Map(all.map((tools) => [JSON.stringify(tools), tools])).values()]
}

/** Yields every manifest that may have named these files. */
function* candidates(
  snapshot: Snapshot,
  { wav: wavs, mp4: mp4s, png: pngs }: MediaFiles,
  tools: readonly Tools[],
): Generator<Manifest> {
  // A sealed day always has a WAV, and only the MP4 can lack ffmpeg.
  for (const rendered_with of tools)
    for (const wav of wavs)
      for (const mp4 of entriesOf(mp4s, UNAVAILABLE_REASONS, tools))
        for (const png of entriesOf(pngs, ['render_failed'], tools))
          yield composeManifest(snapshot, { wav, mp4, png }, rendered_with)
}

/** The entries that a manifest may have for one kind: a file, rendered with the day or later, or a reason for none. */
function entriesOf(
  files: readonly AvailableMedium[],
  reasons: readonly UnavailableReason[],
  tools: readonly Tools[],
): Medium[] {
  if (files.length === 0) return reasons.map((reason) => ({ available: false, reason }))
  return files.flatMap((file) => [
    file,
    ...tools.map((rendered_with) => ({ ...file, rendered_with })),
  ])
}
