// What the archive answers with, in the OpenAPI document (decisions.md 9.5 to 9.7).
import { z } from 'zod'
import { COUNTERS } from '../../archive/format/snapshot.ts'
import { day, instant, sha256, urlOf } from './scalars.ts'

/** One property for each counter, in the order of the archive. */
const perCounter = <T extends z.ZodType>(schema: T) =>
  z.strictObject(Object.fromEntries(COUNTERS.map((name) => [name, schema])))

const counters = perCounter(
  z
    .string()
    .regex(/^(?:0|[1-9][0-9]{0,19})$/)
    .nullable(),
).meta({
  id: 'Counters',
  description: 'Unsigned 64-bit counts as decimal strings; null when unavailable.',
})
const availability = perCounter(z.boolean()).meta({ id: 'Availability' })
const coverageStatus = z.enum(['none', 'partial', 'complete'])
const clockStatus = z.enum(['unverified', 'ok', 'stepped'])
const conclusion = z.enum(['inconclusive', 'quiet', 'active'])
const dayUrl = urlOf('^/transmissions/[0-9-]{10}\\.json$')
const manifestUrl = urlOf('^/transmissions/[0-9-]{10}\\.manifest\\.json$')
const mediaUrl = urlOf('^/transmission-media/[0-9-]{10}/[0-9a-f]{64}\\.(?:wav|mp4|png)$')
const whole = z.int().min(1)

const Reason = z.strictObject({
  code: z.enum(['service_not_running', 'read_only', 'feature_disabled', 'counter_failed']),
  from: instant,
  to: instant,
})

export const Snapshot = z
  .strictObject({
    protocol_version: z.literal(1),
    day,
    from: instant,
    to: instant,
    generated_at: instant,
    counters,
    availability,
    coverage: z.strictObject({
      status: coverageStatus,
      observed_seconds: z.number().min(0).max(86_400),
      reasons: z.array(Reason),
    }),
    clock: z.strictObject({ status: clockStatus }),
    conclusion,
    previous: z.strictObject({ day, sha256 }).nullable().meta({
      description: 'The latest earlier archived day and the SHA-256 of its snapshot file.',
    }),
  })
  .meta({ id: 'Snapshot', description: 'One finished UTC day; these bytes never change.' })

const availableMedium = {
  available: z.literal(true),
  sha256,
  bytes: whole,
  content_type: z.string(),
  filename: z.string(),
  url: mediaUrl,
}
const UnavailableMedium = z.strictObject({
  available: z.literal(false),
  reason: z.enum(['ffmpeg_not_found', 'render_failed']),
})
const seconds = z.number().min(0)
const audio = z.strictObject({ ...availableMedium, duration_seconds: seconds })
const picture = z.strictObject({ ...availableMedium, width: whole, height: whole })
const video = z.strictObject({
  ...availableMedium,
  duration_seconds: seconds,
  width: whole,
  height: whole,
})

export const Manifest = z
  .strictObject({
    manifest_version: z.literal(1),
    day,
    snapshot: Snapshot,
    snapshot_file: z.strictObject({ sha256, bytes: whole, url: dayUrl }),
    media: z.strictObject({
      wav: z.union([audio, UnavailableMedium]),
      mp4: z.union([video, UnavailableMedium]),
      png: z.union([picture, UnavailableMedium]),
    }),
    rendered_with: z.strictObject({
      node: z.string(),
      sharp: z.string(),
      ffmpeg: z.string().nullable(),
    }),
  })
  .meta({ id: 'Manifest' })

const listedMedium = z.strictObject({
  available: z.boolean(),
  url: mediaUrl.nullable(),
  sha256: sha256.nullable(),
})

const ArchiveItem = z
  .strictObject({
    day,
    counters,
    availability,
    coverage: coverageStatus,
    clock: clockStatus,
    conclusion,
    media: z.strictObject({ wav: listedMedium, mp4: listedMedium, png: listedMedium }),
    url: dayUrl,
    manifest_url: manifestUrl,
  })
  .meta({ id: 'ArchiveItem' })

export const ArchivePage = z
  .strictObject({
    items: z.array(ArchiveItem).max(100),
    next_before: day.nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'ArchivePage' })
