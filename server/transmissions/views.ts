// What the pages of the archive show: several days, one day, or why there is none.
import type { Manifest } from '../../archive/format/manifest.ts'
import { isDay } from '../../archive/format/paths.ts'
import type { Snapshot } from '../../archive/format/snapshot.ts'
import type { SignedLog } from './day-log.ts'
import { type HeldManifest, heldManifest, kindsIn } from './held.ts'
import { type ArchivePage, type ListDeps, neighbours, pastDays, readableDays } from './listing.ts'
import { DAYS_SHOWN } from './rules.ts'

/** The HTML of the archive's shared paths; server/pages provides it. */
export interface TransmissionPages {
  list(view: ListView): string
  day(view: DayView): string
  absent(view: AbsentView): string
  /** An Atom feed of days. @param baseUrl without a trailing slash */
  feed(days: readonly HeldManifest[], baseUrl: string): string
}

/** What pages show of the archive as a whole. */
export interface ArchiveView {
  /** Null where there is no log yet. */
  log: SignedLog | null
  /** Without a trailing slash, and without characters that mean something to a shell. */
  baseUrl: string
  /** Whether no message can be published now. */
  isClosed: boolean
}

/** Several days, newest first, with what is here of each. */
export interface ListView extends Omit<ArchivePage, 'manifests'>, ArchiveView {
  manifests: HeldManifest[]
}

/** One day, its neighbours in the archive, and how it compares with those before it. */
export interface DayView extends ArchiveView {
  manifest: HeldManifest
  older: string | null
  newer: string | null
  /** The hash of the newer day's snapshot; null without one, and where its manifest is damaged. */
  newerSha256: string | null
  /** Up to thirty days that end with this one, ascending; damaged ones are left out. */
  days: Snapshot[]
}

/** A path that names no archived day. */
export interface AbsentView {
  /** Null where it names no day of the calendar. */
  day: string | null
  /** Why it is not there, as a sentence without its full stop. */
  reason: string
  /** Whether no message can be published now. */
  isClosed: boolean
  /** The nearest archived days. */
  older: string | null
  newer: string | null
}

/** Days with what is here of each. */
export async function heldPage({ archive }: ListDeps, page: ArchivePage) {
  const kinds = await kindsIn(archive)
  return { ...page, manifests: page.manifests.map((one) => heldManifest(one, kinds)) }
}

export async function dayView(
  deps: ListDeps,
  manifest: Manifest,
  view: ArchiveView,
): Promise<DayView> {
  const { older, newer, upTo } = await neighbours(deps, manifest.day)
  const earlier = await readableDays(deps, upTo.slice(-DAYS_SHOWN, -1))
  const next = newer === null ? [] : await readableDays(deps, [newer])
  return {
    ...view,
    manifest: heldManifest(manifest, await kindsIn(deps.archive)),
    older,
    newer,
    newerSha256: next[0]?.snapshot_file.sha256 ?? null,
    days: [...earlier.map(({ snapshot }) => snapshot), manifest.snapshot],
  }
}

export async function absentView(
  deps: ListDeps,
  text: string,
  reason: string,
): Promise<Omit<AbsentView, 'isClosed'>> {
  const days = await pastDays(deps)
  if (!isDay(text)) return { day: null, reason, older: days.at(-1) ?? null, newer: null }
  const older = days.findLast((day) => day < text) ?? null
  const newer = days.find((day) => day > text) ?? null
  return { day: text, reason, older, newer }
}
