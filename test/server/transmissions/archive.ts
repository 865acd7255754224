// Builds small real archives for tests, with the archive's own writer: sealed days whose media are a few bytes.
import { sha256Of } from '../../../archive/format/hash.ts'
import type { Manifest } from '../../../archive/format/manifest.ts'
import { eachKind, type MediaKind } from '../../../archive/format/media.ts'
import {
  hasMessages,
  type SealedRecords,
  type Snapshot,
  snapshotBytes,
} from '../../../archive/format/snapshot.ts'
import type { CounterName } from '../../../protocol/index.ts'
import {
  makeManifest,
  makeMessages,
  makeSnapshot,
  perCounter,
  publish,
} from '../../archive/days.ts'
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
    const media = eachKind((kind) => content.media?.[kind] ?? Buffer.from(`the ${kind} of ${day}`))
    const isMissing = (kind: MediaKind) => content.media?.[kind] === null
    const available = eachKind((kind) => (isMissing(kind) ? undefined : media[kind]))
    const manifest = makeManifest(snapshot, available)
    const hasLeaves = !content.records && hasMessages(records)
    await publish(writer, { snapshot, media, manifest, ...(hasLeaves && { leaves }) })
    sealed.set(day, { manifest, media })
    previous = { day, sha256: sha256Of(snapshotBytes(snapshot)) }
  }
  return sealed
}

function snapshotOf(
  day: string,
  previous: Snapshot['previous'],
  content: DayContent & { records: SealedRecords },
): Snapshot {
  const ordinals = perCounter((i) => String(i + 1))
  const counters = { ...ordinals, ...content.counters } as Snapshot['counters']
  const availability = perCounter((i) => Object.values(counters)[i] !== null)
  const coverage = coverageWith(content.reasons ?? [])
  const isWhole = !Object.values(counters).includes(null) && coverage.status === 'complete'
  const conclusion = isWhole ? 'active' : 'inconclusive'
  const { records } = content
  return makeSnapshot(day, { counters, availability, coverage, conclusion, previous, records })
}

/** The coverage of a day that was observed in part. */
function coverageWith(reasons: Snapshot['coverage']['reasons']): Snapshot['coverage'] {
  const missingMs = reasons
    .filter(({ code }) => code === 'service_not_running')
    .reduce((sum, { from, to }) => sum + Date.parse(to) - Date.parse(from), 0)
  const observed_seconds = Math.floor(86_400 - missingMs / 1000)
  return { status: missingMs < 60_000 ? 'complete' : 'partial', observed_seconds, reasons }
}
