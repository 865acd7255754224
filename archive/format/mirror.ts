// `mirror.json` (FORMAT.md 21): what makes a folder a mirror, and which days and media it selects. Pure.
import { z } from 'zod'
import { canonicalBytes, type FileFormat, parseCanonical } from './canonical.ts'
import { MEDIA_KINDS, type MediaKind } from './paths.ts'
import { daySchema } from './scalars.ts'

/** What of an archive is there. */
export interface Selection {
  /** The first and the last day; null without such a bound. */
  from: string | null
  to: string | null
  /** In the order of MEDIA_KINDS. */
  media: MediaKind[]
}

/** What an archive of its own has. */
export const WHOLE: Selection = { from: null, to: null, media: [...MEDIA_KINDS] }

/** The content of `mirror.json`. */
export interface MirrorSettings extends Selection {
  /** The base address that it was mirrored from last. */
  source: string
}

const ORDER_RULE = `must be some of ${MEDIA_KINDS.join(', ')}, each once, in this order`

export const mirrorSchema = z
  .strictObject({
    source: z.string('must be a string').min(1, 'must not be empty'),
    from: daySchema.nullable(),
    to: daySchema.nullable(),
    media: z.array(z.enum(MEDIA_KINDS)).refine(isOrdered, { error: ORDER_RULE, abort: true }),
  })
  .refine(({ from, to }) => from === null || to === null || from <= to, {
    error: 'from must not be later than to',
  })
  .meta({ id: 'Mirror' })

const FORMAT: FileFormat<MirrorSettings> = {
  schema: mirrorSchema,
  name: 'mirror.json',
  refusal: 'invalid_mirror',
}

export function mirrorBytes(settings: MirrorSettings): Uint8Array {
  return canonicalBytes(FORMAT, settings)
}

/** @throws ArchiveError `invalid_mirror` */
export function parseMirror(bytes: Uint8Array): MirrorSettings {
  return parseCanonical(FORMAT, bytes)
}

export function isDaySelected({ from, to }: Selection, day: string): boolean {
  return (from === null || from <= day) && (to === null || day <= to)
}

/** Whether a selection has all of another. */
export function includes(selection: Selection, other: Selection): boolean {
  const beginsBefore =
    selection.from === null || (other.from !== null && selection.from <= other.from)
  const endsAfter = selection.to === null || (other.to !== null && other.to <= selection.to)
  return beginsBefore && endsAfter && other.media.every((kind) => selection.media.includes(kind))
}

/** What a selection leaves out, in words; null when nothing. */
export function leftOut({ from, to, media }: Selection): string | null {
  const missing = MEDIA_KINDS.filter((kind) => !media.includes(kind))
  const parts = [
    from !== null && `days before ${from}`,
    to !== null && `days after ${to}`,
    missing.length > 0 && missing.join(', '),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join('; ') : null
}

function isOrdered(kinds: readonly MediaKind[]): boolean {
  return kinds.join() === MEDIA_KINDS.filter((kind) => kinds.includes(kind)).join()
}
