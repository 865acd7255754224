// Builds small real archives for tests, with the archive's own writer: sealed days whose media are a few bytes.
import { createHash } from 'node:crypto'
import { dayStart, nextDay } from '../../../archive/format/calendar.ts'
import { composeManifest, type Manifest, type Medium } from '../../../archive/format/manifest.ts'
import { MEDIA_KINDS, type MediaKind } from '../../../archive/format/media.ts'
import {
  hasMessages,
  type SealedRecords,
  type Snapshot,
  snapshotBytes,
} from '../../../archive/format/snapshot.ts'
import type { ArchiveWriter } from '../../../archive/writing/writer.ts'
import { COUNTER_NAMES, type CounterName } from '../../../protocol/index.ts'
import { makeMessages } from '../../archive/days.ts'
import { openWriter } from '../../support/writers.ts'

export interface DayContent {
  /** By default 1, 2, 3, ... in the order of the counters. */
  counters?: Partial<Record<CounterName, string | null>>
  /** By default a few bytes of each kind; null for a medium whose rendering failed. */
  media?: Partial<Record<MediaKind, Uint8Array | null>>
  reasons?: Snapshot['coverage']['reasons']
  /** By default of as many messages as are counted. */
  records?: SealedRecords
}

export interface SealedDay {
  manifest: Manifest
  media: Record<MediaKind, Uint8Array>
}

/** Seals days, each of which names the one before it. @param contents keyed by day */
export async function makeArchive(
  dir: string,
  days: string[],
  contents: Record<string, DayContent> = {},
): Promise<Map<string, SealedDay>> {
  const writer = await openWriter(dir, { create: true })
  const sealed = new Map<string, SealedDay>()
  let previous: Snapshot['previous'] = null
  let firstId = 1
  for (const day of days) {
    const content = contents[day] ?? {}
    const { messages = '1' } = content.counters ?? {}
    const { records, leaves } = makeMessages(firstId, Number(messages ?? 0))
    firstId += Number(records.count)
    const snapshot = snapshotOf(day, previous, { records, ...content })
    if (!content.records && hasMessages(records)) await writer.putLeaves(snapshot, leaves)
    sealed.set(day, await sealDay(writer, snapshot, content.media ?? {}))
    previous = { day, sha256: sha256(snapshotBytes(snapshot)) }
  }
  return sealed
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

function snapshotOf(
  day: string,
  previous: Snapshot['previous'],
  content: DayContent & { records: SealedRecords },
): Snapshot {
  const ordinals = COUNTER_NAMES.map((name, i) => [name, String(i + 1)])
  const counters = { ...Object.fromEntries(ordinals), ...content.counters } as Snapshot['counters']
  const isCounted = COUNTER_NAMES.map((name) => [name, counters[name] !== null])
  const coverage = coverageWith(content.reasons ?? [])
  const isWhole = isCounted.every(([, isAvailable]) => isAvailable)
  return {
    protocol_version: 1,
    day,
    from: `${day}T00:00:00.000Z`,
    to: `${nextDay(day)}T00:00:00.000Z`,
    generated_at: new Date(dayStart(nextDay(day)) + 300_000).toISOString(),
    counters,
    availability: Object.fromEntries(isCounted),
    coverage,
    clock: { status: 'ok' },
    conclusion: isWhole && coverage.status === 'complete' ? 'active' : 'inconclusive',
    previous,
    records: content.records,
  }
}

/** The coverage of a day that was observed in part. */
function coverageWith(reasons: Snapshot['coverage']['reasons']): Snapshot['coverage'] {
  const missingMs = reasons
    .filter(({ code }) => code === 'service_not_running')
    .reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0)
  const observed_seconds = Math.floor(86_400 - missingMs / 1000)
  return { status: missingMs < 60_000 ? 'complete' : 'partial', observed_seconds, reasons }
}

async function sealDay(
  writer: ArchiveWriter,
  snapshot: Snapshot,
  given: NonNullable<DayContent['media']>,
): Promise<SealedDay> {
  const { day } = snapshot
  await writer.fixSnapshot(snapshot)
  const media = {} as Record<MediaKind, Medium>
  const bytes = {} as Record<MediaKind, Uint8Array>
  for (const kind of MEDIA_KINDS) {
    const content = given[kind] === undefined ? Buffer.from(`the ${kind} of ${day}`) : given[kind]
    if (content === null) {
      media[kind] = { available: false, reason: 'render_failed' }
      continue
    }
    bytes[kind] = content
    media[kind] = await writer.putMedium(day, kind, content, PROPERTIES[kind])
  }
  const tools = { renderer: '1', node: 'v24.0.0', sharp: '0.35.5', ffmpeg: null }
  const manifest = composeManifest(snapshot, media, tools)
  await writer.seal(manifest)
  return { manifest, media: bytes }
}

const PROPERTIES: Record<
  MediaKind,
  { duration_seconds?: number; width?: number; height?: number }
> = {
  wav: { duration_seconds: 29.14 },
  mp4: { duration_seconds: 29.14, width: 1280, height: 720 },
  png: { width: 1280, height: 720 },
}
