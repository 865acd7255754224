// `mirror.json` (FORMAT.md 19), which marks a folder as a mirror and states its selection and trusted keys. Pure.
import * as z from 'zod'
import { fileFormat } from './canonical.ts'
import { MEDIA_KINDS } from './media.ts'
import { daySchema, text } from './scalars.ts'

const ORDER_RULE = `must be some of ${MEDIA_KINDS.join(', ')}, each once, in this order`
const VKEY = /^[^\s+]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]+=*$/

export const mirrorSchema = z
  .strictObject({
    /** The base address of the latest run. */
    source: text('must not be empty', (source) => source !== '' && source.isWellFormed()),
    /** First and last day, inclusive; null for no bound. */
    from: daySchema.nullable(),
    to: daySchema.nullable(),
    media: z
      .array(z.enum(MEDIA_KINDS))
      .refine(
        (kinds) => kinds.join() === MEDIA_KINDS.filter((kind) => kinds.includes(kind)).join(),
        { error: ORDER_RULE, abort: true },
      ),
    /** Absent while nothing but the mirror's `key` has stated them. */
    keys: z
      .array(z.string('must be a string').regex(VKEY, 'must be a verifier key'))
      .min(1, 'must not be empty')
      .optional()
      .meta({ description: 'The keys of which one must sign the log.' }),
    records: z
      .literal(true)
      .optional()
      .meta({ description: 'Present if the mirror keeps the records of the days.' }),
  })
  .refine(({ from, to }) => from === null || to === null || from <= to, {
    error: 'from must not be later than to',
  })
  .meta({ id: 'Mirror' })

/** The content of `mirror.json`. */
export type MirrorSettings = z.infer<typeof mirrorSchema>

/** The part of an archive that a folder contains. */
export type Selection = Omit<MirrorSettings, 'source' | 'keys'>

/** The selection of an archive that is not a mirror. */
export const FULL_SELECTION: Selection = { from: null, to: null, media: [...MEDIA_KINDS] }

export const { write: mirrorBytes, parse: parseMirror } = fileFormat(
  mirrorSchema,
  'mirror.json',
  'invalid_mirror',
)

export function isDaySelected({ from, to }: Selection, day: string): boolean {
  return (from === null || from <= day) && (to === null || day <= to)
}

/** Whether a selection contains all of another. */
export function includes(selection: Selection, other: Selection): boolean {
  const beginsBefore =
    selection.from === null || (other.from !== null && selection.from <= other.from)
  const endsAfter = selection.to === null || (other.to !== null && other.to <= selection.to)
  return beginsBefore && endsAfter && other.media.every((kind) => selection.media.includes(kind))
}

/** Describes what a selection excludes, as in `days before 2026-11-19; mp4`; null if nothing. */
export function describeExcluded({ from, to, media }: Selection): string | null {
  const missing = MEDIA_KINDS.filter((kind) => !media.includes(kind))
  const parts = [
    from !== null && `days before ${from}`,
    to !== null && `days after ${to}`,
    missing.length > 0 && missing.join(', '),
  ].filter((part) => part !== false)
  return parts.length > 0 ? parts.join('; ') : null
}
