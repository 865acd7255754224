// `<day>.manifest.json` (FORMAT.md 8): schema, canonical bytes, composition and upgrades.
import { z } from 'zod'
import { canonicalBytes, checked, type FileFormat, parseCanonical } from './canonical.ts'
import { sha256Of } from './hash.ts'
import {
  KINDS,
  MEDIA_KINDS,
  MEDIA_URL_PATTERN,
  type MediaKind,
  mediaName,
  mediaUrl,
  SNAPSHOT_URL_PATTERN,
  snapshotName,
  snapshotUrl,
} from './paths.ts'
import { addressSchema, daySchema, sha256Schema, text } from './scalars.ts'
import { type Snapshot, snapshotBytes, snapshotSchema } from './snapshot.ts'

const WHOLE_RULE = 'must be a whole number, at least 1'
const SECONDS_RULE = 'must be greater than 0'
const wholeSchema = z.int(WHOLE_RULE).min(1, WHOLE_RULE)
const secondsSchema = z.number(SECONDS_RULE).positive(SECONDS_RULE)
const anyString = z.string('must be a string')

const versionSchema = text(
  'must be 1 to 200 characters',
  (version) => version !== '' && [...version].length <= 200 && version.isWellFormed(),
)

/** Versions of the tools that rendered the media. */
const toolsSchema = z.strictObject({
  renderer: text('must be a whole number, at least 2', (number) =>
    /^([2-9]|[1-9][0-9]+)$/.test(number),
  )
    .optional()
    .meta({ description: 'The version number of the drawing code; 1 if absent.' }),
  node: versionSchema,
  sharp: versionSchema,
  ffmpeg: versionSchema.nullable().meta({ description: 'Null if there was none.' }),
})

const file = {
  available: z.literal(true),
  sha256: sha256Schema,
  bytes: wholeSchema,
  content_type: anyString,
  filename: anyString,
  url: addressSchema(MEDIA_URL_PATTERN),
}
const duration = { duration_seconds: secondsSchema }
/** [pixels] */
const size = { width: wholeSchema, height: wholeSchema }
/** Present on a media file that became available after its day was sealed. */
const ownTools = { rendered_with: toolsSchema.optional() }

/** Why a medium may be unavailable for good (FORMAT.md 8.3). */
export const UNAVAILABLE_REASONS = ['ffmpeg_not_found', 'render_failed'] as const
export type UnavailableReason = (typeof UNAVAILABLE_REASONS)[number]

const unavailableSchema = z.strictObject({
  available: z.literal(false),
  reason: z.enum(UNAVAILABLE_REASONS),
})

const medium = <T extends z.ZodRawShape>(shape: T) =>
  z.discriminatedUnion('available', [
    z.strictObject({ ...file, ...shape, ...ownTools }),
    unavailableSchema,
  ])

const properties = z.strictObject({
  manifest_version: z.literal(1),
  day: daySchema,
  snapshot: snapshotSchema,
  snapshot_file: z.strictObject({
    sha256: sha256Schema,
    bytes: wholeSchema,
    url: addressSchema(SNAPSHOT_URL_PATTERN),
  }),
  media: z.strictObject({
    wav: medium(duration),
    mp4: medium({ ...duration, ...size }),
    png: medium(size),
  }),
  rendered_with: toolsSchema,
})

/** Checks the properties of a manifest, and every rule that needs nothing but the manifest. */
export const manifestSchema = properties
  .superRefine((manifest, context) => {
    for (const [path, actual, expected] of derivedValues(manifest))
      if (actual !== expected)
        context.addIssue({ code: 'custom', path, message: `must be ${expected}` })
  })
  .meta({ id: 'Manifest' })

export type Manifest = z.infer<typeof manifestSchema>
export type Tools = Manifest['rendered_with']
export type Medium = Manifest['media'][MediaKind]
export type AvailableMedium = Extract<Medium, { available: true }>

/** The properties of a media file's content; which ones depends on its kind. */
export interface MediumProperties {
  duration_seconds?: number
  /** [pixels] */
  width?: number
  height?: number
}

/** The properties that follow from others: path, actual value, expected value. */
function* derivedValues({
  day,
  snapshot,
  snapshot_file,
  media,
}: z.infer<typeof properties>): Generator<[PropertyKey[], string, string]> {
  yield [['snapshot', 'day'], snapshot.day, day]
  yield [['snapshot_file', 'url'], snapshot_file.url, snapshotUrl(day)]
  for (const kind of MEDIA_KINDS) {
    const entry = media[kind]
    if (!entry.available) continue
    const filename = mediaName(entry.sha256, kind)
    yield [['media', kind, 'content_type'], entry.content_type, KINDS[kind].contentType]
    yield [['media', kind, 'filename'], entry.filename, filename]
    yield [['media', kind, 'url'], entry.url, mediaUrl(day, filename)]
  }
}

const FORMAT: FileFormat<Manifest> = {
  schema: manifestSchema,
  name: 'manifest',
  errorCode: 'invalid_manifest',
}

/**
 * Serializes a manifest to canonical bytes, whatever the order of its properties.
 * @throws ArchiveError `invalid_manifest` naming the property and the rule
 */
export function manifestBytes(manifest: Manifest): Uint8Array {
  return canonicalBytes(FORMAT, manifest)
}

/**
 * Parses `<day>.manifest.json`.
 * @throws ArchiveError `invalid_manifest` for bytes that `manifestBytes` would not have written
 */
export function parseManifest(bytes: Uint8Array): Manifest {
  return parseCanonical(FORMAT, bytes)
}

/**
 * Composes the manifest of a day from its snapshot and media.
 * @throws ArchiveError `invalid_manifest` if a media entry lacks a property of its kind or has another
 */
export function composeManifest(
  snapshot: Snapshot,
  media: Record<MediaKind, Medium>,
  rendered_with: Tools,
): Manifest {
  const { day } = snapshot
  const bytes = snapshotBytes(snapshot)
  const snapshot_file = { sha256: sha256Of(bytes), bytes: bytes.length, url: snapshotUrl(day) }
  const manifest_version = 1
  return checked(FORMAT, {
    manifest_version,
    day,
    snapshot,
    snapshot_file,
    media,
    rendered_with,
  })
}

/**
 * Builds the manifest entry of an available media file.
 * @param properties of this kind, which `composeManifest` and `manifestBytes` check
 */
export function mediumEntry(
  day: string,
  kind: MediaKind,
  file: { sha256: string; bytes: number },
  properties: MediumProperties,
): AvailableMedium {
  const filename = mediaName(file.sha256, kind)
  return {
    available: true,
    ...file,
    content_type: KINDS[kind].contentType,
    filename,
    url: mediaUrl(day, filename),
    ...properties,
  } as AvailableMedium
}

/** A file that a manifest names, in the day's folder. */
export interface NamedFile {
  kind: 'snapshot' | MediaKind
  name: string
  sha256: string
  bytes: number
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

/** The tools that rendered a media file: its own if it became available later, else the day's. */
export function toolsOf(manifest: Manifest, kind: MediaKind): Tools {
  const entry = manifest.media[kind]
  return (entry.available && entry.rendered_with) || manifest.rendered_with
}

/**
 * Returns true if a published manifest may be replaced by `next`: the only change allowed is that
 * unavailable media became available (FORMAT.md 8.5).
 */
export function isUpgrade(published: Manifest, next: Manifest): boolean {
  const before = <K extends MediaKind>(kind: K) =>
    published.media[kind].available ? next.media[kind] : published.media[kind]
  const media = { wav: before('wav'), mp4: before('mp4'), png: before('png') }
  const undone = manifestBytes({ ...next, media })
  return sha256Of(undone) === sha256Of(manifestBytes(published))
}
