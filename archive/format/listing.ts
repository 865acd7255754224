// The items of `index.json` (API.md 9.2), derived from the manifests.
import * as z from 'zod'
import type { Manifest, Medium } from './manifest.ts'
import { eachKind } from './media.ts'
import {
  MANIFEST_URL_PATTERN,
  MEDIA_URL_PATTERN,
  manifestUrl,
  SNAPSHOT_URL_PATTERN,
  snapshotUrl,
} from './paths.ts'
import { addressSchema, daySchema, sha256Schema } from './scalars.ts'
import {
  availabilitySchema,
  clockStatusSchema,
  conclusionSchema,
  countersSchema,
  coverageStatusSchema,
} from './snapshot.ts'

export const MAX_PAGE = 100

/** URL and hash are null if the media file is unavailable. */
const listedMediumSchema = z.strictObject({
  available: z.boolean(),
  url: addressSchema(MEDIA_URL_PATTERN).nullable(),
  sha256: sha256Schema.nullable(),
})

const listedDaySchema = z
  .strictObject({
    day: daySchema,
    counters: countersSchema,
    availability: availabilitySchema,
    coverage: coverageStatusSchema,
    clock: clockStatusSchema,
    conclusion: conclusionSchema,
    media: z.strictObject(eachKind(() => listedMediumSchema)),
    url: addressSchema(SNAPSHOT_URL_PATTERN),
    manifest_url: addressSchema(MANIFEST_URL_PATTERN),
  })
  .meta({ id: 'ArchiveItem' })

export const archivePageSchema = z
  .strictObject({
    items: z.array(listedDaySchema).max(MAX_PAGE),
    next_before: daySchema.nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ArchivePage' })

/**
 * A page as another service may send it. Only days and cursors are checked here, because verify reports
 * each property of an item that differs from the manifest by name.
 */
export const anyPageSchema = archivePageSchema
  .extend({ items: z.array(z.looseObject({ day: daySchema })) })
  .loose()
export type AnyDay = z.infer<typeof anyPageSchema>['items'][number]

/** One day in `index.json`. */
export type ListedDay = z.infer<typeof listedDaySchema>
/** The body of `index.json`. */
export type ArchiveIndex = z.infer<typeof archivePageSchema>

export function listedDay({ day, snapshot, media }: Manifest): ListedDay {
  return {
    day,
    counters: snapshot.counters,
    availability: snapshot.availability,
    coverage: snapshot.coverage.status,
    clock: snapshot.clock.status,
    conclusion: snapshot.conclusion,
    media: eachKind((kind) => {
      const medium: Medium | undefined = media[kind]
      return medium?.available
        ? { available: true, url: medium.url, sha256: medium.sha256 }
        : { available: false, url: null, sha256: null }
    }),
    url: snapshotUrl(day),
    manifest_url: manifestUrl(day),
  }
}
