// The shape of `<day>.manifest.json` (decisions.md 9.6): write canonical, parse strictly.
import { ArchiveError } from '../errors.ts'
import {
  KINDS,
  MEDIA_KINDS,
  type MediaKind,
  mediaName,
  mediaUrl,
  snapshotName,
  snapshotUrl,
} from './paths.ts'
import {
  canonicalBytes,
  nullable,
  number,
  object,
  oneOf,
  parseCanonical,
  type Reader,
  ShapeError,
  text,
} from './shape.ts'
import { readDay, readSha256, readSnapshot, type Snapshot } from './snapshot.ts'

export {
  fieldsOf,
  parseSnapshot,
  type ReasonCode,
  readAnySnapshot,
  type Snapshot,
  snapshotBytes,
} from './snapshot.ts'

export type UnavailableReason = 'ffmpeg_not_found' | 'render_failed'

export interface AvailableMedium {
  available: true
  sha256: string
  bytes: number
  content_type: string
  filename: string
  url: string
  /** wav and mp4 */
  duration_seconds?: number
  /** png and mp4, in pixels */
  width?: number
  height?: number
}

export type Medium = AvailableMedium | { available: false; reason: UnavailableReason }

export interface Manifest {
  manifest_version: 1
  day: string
  snapshot: Snapshot
  snapshot_file: { sha256: string; bytes: number; url: string }
  media: Record<MediaKind, Medium>
  /** Versions of what made the media; `ffmpeg` is null without one. */
  rendered_with: { node: string; sharp: string; ffmpeg: string | null }
}

/** A file that a manifest names, in the day's folder. */
export interface NamedFile {
  kind: 'snapshot' | MediaKind
  name: string
  sha256: string
  bytes: number
}

const bytes = number('a whole number, at least 1', (n) => Number.isSafeInteger(n) && n >= 1)
const seconds = number('greater than 0', (n) => n > 0)
const version = text('1 to 200 characters', (s) => s.length >= 1 && s.length <= 200)
const anyText = text('a string', () => true)

const named = {
  available: oneOf(true),
  sha256: readSha256,
  bytes,
  content_type: anyText,
  filename: anyText,
  url: anyText,
}
const available: Record<MediaKind, Reader<AvailableMedium>> = {
  wav: object({ ...named, duration_seconds: seconds }),
  mp4: object({ ...named, duration_seconds: seconds, width: bytes, height: bytes }),
  png: object({ ...named, width: bytes, height: bytes }),
}
const unavailable: Reader<Medium> = object({
  available: oneOf(false),
  reason: oneOf('ffmpeg_not_found', 'render_failed'),
})

function medium(kind: MediaKind): Reader<Medium> {
  return (value, path) =>
    (value as { available?: unknown } | null)?.available === false
      ? unavailable(value, path)
      : available[kind](value, path)
}

const readShape = object<Manifest>({
  manifest_version: oneOf(1),
  day: readDay,
  snapshot: readSnapshot,
  snapshot_file: object({ sha256: readSha256, bytes, url: anyText }),
  media: object({ wav: medium('wav'), mp4: medium('mp4'), png: medium('png') }),
  rendered_with: object({ node: version, sharp: version, ffmpeg: nullable(version) }),
})

/** A manifest by shape, and by every rule that can be checked within it. */
const readManifest: Reader<Manifest> = (value, path) => {
  const manifest = readShape(value, path)
  const demand = (name: string, actual: string, expected: string) => {
    if (actual !== expected) throw new ShapeError(name, `must be ${expected}`)
  }
  demand('snapshot.day', manifest.snapshot.day, manifest.day)
  demand('snapshot_file.url', manifest.snapshot_file.url, snapshotUrl(manifest.day))
  for (const kind of MEDIA_KINDS) {
    const entry = manifest.media[kind]
    if (!entry.available) continue
    const filename = mediaName(entry.sha256, kind)
    demand(`media.${kind}.content_type`, entry.content_type, KINDS[kind].contentType)
    demand(`media.${kind}.filename`, entry.filename, filename)
    demand(`media.${kind}.url`, entry.url, mediaUrl(manifest.day, filename))
  }
  return manifest
}

/**
 * The canonical bytes of a manifest, whatever the order of its properties.
 * @throws ArchiveError `invalid_manifest` naming the property and the rule
 */
export function manifestBytes(manifest: Manifest): Uint8Array {
  return asInvalid(() => canonicalBytes(readManifest(manifest, '')))
}

/**
 * Reads `<day>.manifest.json`.
 * @throws ArchiveError `invalid_manifest` for any bytes that `manifestBytes` would not have written
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  return asInvalid(() => parseCanonical(bytes, readManifest))
}

/** The files that a manifest names: the available media, then the snapshot. */
export function namedFiles(manifest: Manifest): NamedFile[] {
  const files: NamedFile[] = []
  for (const kind of MEDIA_KINDS) {
    const entry = manifest.media[kind]
    if (entry.available)
      files.push({ kind, name: entry.filename, sha256: entry.sha256, bytes: entry.bytes })
  }
  const { sha256, bytes } = manifest.snapshot_file
  files.push({ kind: 'snapshot', name: snapshotName(manifest.day), sha256, bytes })
  return files
}

/**
 * Whether a published manifest may be replaced by another: only media that were unavailable may
 * have become available (decisions.md 9.6).
 */
export function isUpgrade(published: Manifest, next: Manifest): boolean {
  const media = { ...next.media }
  for (const kind of MEDIA_KINDS)
    if (!published.media[kind].available) media[kind] = published.media[kind]
  return sameBytes(manifestBytes({ ...next, media }), manifestBytes(published))
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

function asInvalid<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof ShapeError)
      throw new ArchiveError('invalid_manifest', `manifest: ${error.message}`)
    throw error
  }
}
