// `<day>.manifest.json` (FORMAT.md 8): schema, canonical bytes and composition.
import * as z from 'zod'
import { PROTOCOL_VERSION } from '../../protocol/index.ts'
import { fileFormat } from './canonical.ts'
import type { MediumProperties } from './facts.ts'
import { sha256Of } from './hash.ts'
import { type ByKind, byKind, MEDIA, type MediaKind, wholeSchema } from './media.ts'
import {
  MEDIA_URL_PATTERN,
  mediaName,
  mediaUrl,
  SNAPSHOT_URL_PATTERN,
  snapshotName,
  snapshotUrl,
} from './paths.ts'
import { addressSchema, daySchema, sha256Schema, text } from './scalars.ts'
import { type Snapshot, snapshotBytes, snapshotSchema } from './snapshot.ts'

const anyString = z.string('must be a string')

const versionSchema = text(
  'must be 1 to 200 characters',
  (version) => version !== '' && [...version].length <= 200 && version.isWellFormed(),
)

/** Versions of the tools that rendered the media. */
const toolsSchema = z.strictObject({
  renderer: text('must be a whole number, at least 1', (number) =>
    /^[1-9][0-9]*$/.test(number),
  ).meta({ description: 'The version number of the drawing code.' }),
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

/** The version of new manifests, which a new kind of media raises (FORMAT.md 8.7). */
const MANIFEST_VERSION = 1

const versionOfManifest = wholeSchema.max(MANIFEST_VERSION, {
  error: ({ input }) => `is ${input}, and this program reads versions up to ${MANIFEST_VERSION}`,
})

const properties = z.strictObject({
  manifest_version: versionOfManifest,
  day: daySchema,
  snapshot: snapshotSchema,
  snapshot_file: z.strictObject({
    sha256: sha256Schema,
    bytes: wholeSchema,
    url: addressSchema(SNAPSHOT_URL_PATTERN),
  }),
  media: z.strictObject({
    wav: medium(MEDIA.wav.properties),
    mp4: medium(MEDIA.mp4.properties),
    png: medium(MEDIA.png.properties),
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

/** The properties that follow from others: path, actual value, expected value. */
function* derivedValues({
  day,
  snapshot,
  snapshot_file,
  media,
}: z.infer<typeof properties>): Generator<[PropertyKey[], string, string]> {
  yield [['snapshot', 'day'], snapshot.day, day]
  yield [['snapshot_file', 'url'], snapshot_file.url, snapshotUrl(day)]
  for (const [kind, entry] of byKind<Medium>(media)) {
    if (!entry.available) continue
    const filename = mediaName(entry.sha256, kind)
    yield [['media', kind, 'content_type'], entry.content_type, MEDIA[kind].contentType]
    yield [['media', kind, 'filename'], entry.filename, filename]
    yield [['media', kind, 'url'], entry.url, mediaUrl(day, filename)]
  }
}

const FORMAT = fileFormat(manifestSchema, 'manifest', 'invalid_manifest')
export const { write: manifestBytes, parse: parseManifest } = FORMAT

/** Returns what a parsed manifest contradicts: the day that it is kept for, or the snapshot that it embeds; null if nothing. */
export function faultInManifest(manifest: Manifest, day: string): string | null {
  if (manifest.day !== day) return `is of ${manifest.day}`
  const isNamed = sha256Of(snapshotBytes(manifest.snapshot)) === manifest.snapshot_file.sha256
  return isNamed ? null : `names another ${snapshotName(day)} than it embeds`
}

/** Whether bytes that `parseManifest` rejects claim a version that this program does not know (FORMAT.md 1.5). */
export function isOfUnknownVersion(bytes: Uint8Array): boolean {
  try {
    const { manifest_version, snapshot } = JSON.parse(new TextDecoder().decode(bytes))
    return manifest_version > MANIFEST_VERSION || snapshot?.protocol_version > PROTOCOL_VERSION
  } catch {
    return false
  }
}

/**
 * Composes the manifest of a day from its snapshot and media.
 * @throws ArchiveError `invalid_manifest` if a media entry lacks a property of its kind or has another
 */
export function composeManifest(
  snapshot: Snapshot,
  media: ByKind<Medium>,
  rendered_with: Tools,
): Manifest {
  const { day } = snapshot
  const bytes = snapshotBytes(snapshot)
  const snapshot_file = { sha256: sha256Of(bytes), bytes: bytes.length, url: snapshotUrl(day) }
  return FORMAT.check({
    manifest_version: MANIFEST_VERSION,
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
    content_type: MEDIA[kind].contentType,
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
  for (const [kind, entry] of byKind<Medium>(manifest.media)) {
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
  return (entry?.available && entry.rendered_with) || manifest.rendered_with
}
