// Loads the data that the pages of the archive show: a list of days, one day, or why a day is absent.
import { isArchiveError } from '../../archive/base/errors.ts'
import { isDay } from '../../archive/format/calendar.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import type { Manifest, Medium } from '../../archive/format/manifest.ts'
import { byKind, MEDIA_KINDS, type MediaKind } from '../../archive/format/media.ts'
import type { WitnessPolicy } from '../../archive/log/policy-file.ts'
import { witnessSummary } from '../../archive/log/witnessed.ts'
import type { LoadedManifest } from '../../archive/reading/day-files.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { Today, TodayCounts } from '../data/counts.ts'
import { baseUrlOf, type Call } from '../http/call.ts'
import type { KeptPages } from '../http/kept-pages.ts'
import type { HeadlineReader, Headlines } from '../sections/headlines.ts'
import type { FirstRecords, Section, SectionRecords } from '../sections/queries.ts'
import type { SectionName } from '../sections/rules.ts'
import {
  type ArchiveDeps,
  type ArchivePage,
  type LookupDeps,
  logDamage,
  neighbours,
  pastDays,
  readableDays,
} from './lookup.ts'
import { DAYS_SHOWN } from './rules.ts'

/** What the pages and files of the archive are made of. */
export interface TransmissionDeps extends LookupDeps {
  /** Whether the archive is a mirror, which gets its days from its source. */
  isMirror: boolean
  kept: KeptPages
  today: TodayCounts
  headlines: HeadlineReader
  modes: ArchiveDeps['modes'] & {
    /** Whether publishing messages is currently off. */
    isClosed(): Promise<boolean>
  }
  baseUrl: string | undefined
  /** The addresses of mirrors (MIRRORS). */
  mirrors: readonly string[]
  /** The witnesses that are asked to sign the log (WITNESS_POLICY); null for none. */
  witnessPolicy: WitnessPolicy | null
  /** Whether programs that request media are redirected to the object store (API.md 9.13). */
  mediaRedirect: boolean
  /** The private key that signs receipts; the file may be missing. */
  signingKeyFile: string
}

/** Renders the HTML of the archive's shared paths; server/pages implements it. */
export interface TransmissionPages {
  list(view: ListView): string
  day(view: DayView): string
  /** The current day, which is not archived yet. */
  today(view: TodayView): string
  month(view: PeriodView): string
  year(view: PeriodView): string
  records(view: RecordsView): string
  absent(view: AbsentView): string
  /** Renders an Atom feed of days. @param baseUrl without a trailing slash */
  feed(days: readonly ServedManifest[], headlines: Headlines, baseUrl: string): string
  /** Renders a podcast of the films of days. @param baseUrl without a trailing slash */
  podcast(days: readonly ServedManifest[], headlines: Headlines, baseUrl: string): string
}

export type Upcoming = ReturnType<typeof upcomingOf>

export type Site = Awaited<ReturnType<typeof siteFor>>

export type ArchiveView = Awaited<ReturnType<typeof viewFor>>

/** A page of days, newest first. */
export type ListView = Awaited<ReturnType<typeof servedPage>> & ArchiveView & WithHeadlines

/** For a mirror, whose records are at its source, empty. */
interface WithHeadlines {
  headlines: Headlines
}

/** What the page of a day tells of it. */
export interface Told extends WithHeadlines {
  /** Null if they cannot be read here. */
  firstRecords: FirstRecords | null
}

export type DayView = Awaited<ReturnType<typeof dayView>>

export type PeriodView = NonNullable<Awaited<ReturnType<typeof periodView>>> & Site & WithHeadlines

export type AbsentView = Awaited<ReturnType<typeof absentView>> & Pick<Site, 'isClosed'>

export interface TodayView extends Upcoming, Site, Told {
  today: Today
  older: string | null
}

export interface RecordsView extends Site {
  day: string
  /** Whether the day is archived, so that programs can get its records. */
  hasRecords: boolean
  /** The only section that was requested. */
  only: SectionName | undefined
  sections: readonly { name: SectionName; section: Section<SectionRecords[SectionName]> }[]
}

/** Collects what pages show about the archive as a whole. */
export async function viewFor(call: Call, deps: TransmissionDeps) {
  const { log, isLogDamaged } = await signedLog(deps)
  return {
    /** Null if there is no log yet, or a damaged one. */
    log,
    isLogDamaged,
    /** How many witnesses have signed the log; null if none are asked. */
    witnessed: witnessSummary(log, deps.witnessPolicy, deps.clock.now()),
    /** The addresses of mirrors, in plain characters as `baseUrl`. */
    mirrors: deps.mirrors,
    ...(await siteFor(call, deps)),
    ...upcomingOf(deps),
  }
}

/** From which pages tell when the next transmission is due. */
export const upcomingOf = ({ clock, nextSnapshot, isMirror }: TransmissionDeps) => ({
  /** Wall time [ms since 1970]. */
  now: clock.now(),
  /** The time of the next scheduled run; null when none is scheduled. */
  nextRun: nextSnapshot(),
  isMirror,
})

export const siteFor = async (call: Call, deps: TransmissionDeps) => ({
  /** Without a trailing slash, and without characters that are special to a shell. */
  baseUrl: baseUrlOf(call, deps.baseUrl),
  /** Whether publishing messages is currently off. */
  isClosed: await deps.modes.isClosed(),
})

/** Returns the headlines of days. The records of a mirror's days are at its source. */
export const headlinesOf = async (
  { headlines, isMirror }: TransmissionDeps,
  days: readonly string[],
): Promise<Headlines> => (isMirror ? new Map() : headlines(days))

/** Reads the log for a page. A damaged one is reported, and not an error, because the page can still show the days. */
async function signedLog({ archive, log }: ArchiveDeps) {
  try {
    return { log: await archive.log(), isLogDamaged: false }
  } catch (error) {
    if (!isArchiveError(error)) throw error
    logDamage(log, error)
    return { log: null, isLogDamaged: true }
  }
}

/** A medium that exists at the source but that this mirror does not copy. */
interface NotMirrored {
  available: false
  reason: 'not_mirrored'
}

/** A manifest for pages, in which media that this mirror does not copy are unavailable. */
export type ServedManifest = Omit<Manifest, 'media'> & {
  media: { [Kind in keyof Manifest['media']]: Manifest['media'][Kind] | NotMirrored }
}

export type ServedMedium = Medium | NotMirrored

/** The kinds of media that this service has: all, unless it is a mirror that copies only some (FORMAT.md 19). */
export async function servedKinds(archive: ArchiveReader): Promise<readonly MediaKind[]> {
  return (await archive.mirror())?.media ?? MEDIA_KINDS
}

export function servedManifest(manifest: Manifest, kinds: readonly MediaKind[]): ServedManifest {
  const omitted = byKind<Medium>(manifest.media)
    .filter(([kind, medium]) => medium.available && !kinds.includes(kind))
    .map(([kind]): [MediaKind, NotMirrored] => [kind, { available: false, reason: 'not_mirrored' }])
  return { ...manifest, media: { ...manifest.media, ...Object.fromEntries(omitted) } }
}

/** Replaces the manifests of a page with the ones that pages show. */
export async function servedPage({ archive }: ArchiveDeps, page: ArchivePage) {
  const kinds = await servedKinds(archive)
  return { ...page, manifests: page.manifests.map((one) => servedManifest(one, kinds)) }
}

/**
 * Adds to what is shown of a day its neighbours in the archive, and the days before it for comparison.
 * @param view.hasRecords whether its records are here: they are not in the archive, so a mirror may lack them
 */
export async function dayView(
  deps: ArchiveDeps,
  { manifest, bytes }: Pick<LoadedManifest, 'manifest' | 'bytes'>,
  view: ArchiveView & Told & { hasRecords: boolean },
) {
  const { earlier, older, newer } = await neighbours(deps, manifest.day)
  const before = await readableDays(deps, earlier.slice(1 - DAYS_SHOWN))
  const next = newer === null ? [] : await readableDays(deps, [newer])
  return {
    ...view,
    manifest: servedManifest(manifest, await servedKinds(deps.archive)),
    manifestSha256: sha256Of(bytes),
    older,
    newer,
    /** The hash of the newer day's snapshot; null if there is none or its manifest is damaged. */
    newerSha256: next[0]?.snapshot_file.sha256 ?? null,
    /** Up to thirty days that end with this one, ascending, without damaged ones. */
    days: [...before.map(({ snapshot }) => snapshot), manifest.snapshot],
  }
}

/**
 * Adds to why a day is absent the nearest archived days.
 * @param text what the path has in place of a day: null is returned for what is no real date
 * @param reason a clause without its full stop
 */
export async function absentView(deps: ArchiveDeps, text: string, reason: string) {
  if (!isDay(text))
    return { day: null, reason, older: (await pastDays(deps)).at(-1) ?? null, newer: null }
  const { older, newer } = await neighbours(deps, text)
  return { day: text, reason, older, newer }
}

/**
 * Returns the archived days of a month or a year, ascending, and the nearest ones with any; null without any day.
 * @param period YYYY-MM or YYYY
 */
export async function periodView(deps: TransmissionDeps, period: string) {
  const days = await pastDays(deps)
  const of = (day: string | undefined) => day?.slice(0, period.length) ?? null
  const shown = days.filter((day) => of(day) === period)
  if (shown.length === 0) return null
  const kinds = await servedKinds(deps.archive)
  const manifests = await readableDays(deps, shown)
  return {
    ...upcomingOf(deps),
    period,
    manifests: manifests.map((manifest) => servedManifest(manifest, kinds)),
    older: of(days.findLast((day) => day < shown[0]!)),
    newer: of(days.find((day) => of(day)! > period)),
  }
}
