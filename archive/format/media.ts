// The kinds of media, in the order of manifests and lists. What is particular to a kind is here and in its renderer
// (FORMAT.md 8.7).
import * as z from 'zod'
import { ProtocolError } from '../../protocol/index.ts'
import { type MediumProperties, mp4Facts, pngFacts, wavFacts } from './facts.ts'

const WHOLE_RULE = 'must be a whole number, at least 1'
const SECONDS_RULE = 'must be greater than 0'
export const wholeSchema = z.int(WHOLE_RULE).min(1, WHOLE_RULE)
const secondsSchema = z.number(SECONDS_RULE).positive(SECONDS_RULE)

const duration = { duration_seconds: secondsSchema }
/** [pixels] */
const size = { width: wholeSchema, height: wholeSchema }

interface MediumKind {
  /** For people, as in a heading. */
  readonly name: string
  readonly contentType: string
  readonly extension: string
  /** The schemas of its `MediumProperties`. */
  readonly properties: z.ZodRawShape
  /** Reads them from a file. Throws RangeError or ProtocolError, or returns null, if it is not a whole one. */
  readonly readProperties: (bytes: Uint8Array) => MediumProperties | null
}

export const MEDIA = {
  wav: {
    name: 'Sound',
    contentType: 'audio/wav',
    extension: 'wav',
    properties: duration,
    readProperties: wavFacts,
  },
  mp4: {
    name: 'Film',
    contentType: 'video/mp4',
    extension: 'mp4',
    properties: { ...duration, ...size },
    readProperties: mp4Facts,
  },
  png: {
    name: 'Picture',
    contentType: 'image/png',
    extension: 'png',
    properties: size,
    readProperties: pngFacts,
  },
} as const satisfies Record<string, MediumKind>

export type MediaKind = keyof typeof MEDIA

export const MEDIA_KINDS = Object.keys(MEDIA) as MediaKind[]

/** A value for each kind, or for some. */
export type ByKind<T> = { readonly [Kind in MediaKind]?: T | undefined }

/** Makes an object with a value for each kind. */
export function eachKind<T>(of: (kind: MediaKind) => T): Record<MediaKind, T> {
  return Object.fromEntries(MEDIA_KINDS.map((kind) => [kind, of(kind)])) as Record<MediaKind, T>
}

/** The values with their kinds, in order. */
export function byKind<T>(values: ByKind<T>): [MediaKind, T][] {
  return MEDIA_KINDS.flatMap((kind) => {
    const value = values[kind]
    return value === undefined ? [] : [[kind, value]]
  })
}

/** Returns the properties of a media file; null if the bytes are not a whole file of this kind (FORMAT.md 12.3). */
export function factsOf(kind: MediaKind, bytes: Uint8Array): MediumProperties | null {
  try {
    return MEDIA[kind].readProperties(bytes)
  } catch (error) {
    // DataView throws RangeError, too, when the file ends too early.
    if (error instanceof RangeError || error instanceof ProtocolError) return null
    throw error
  }
}
