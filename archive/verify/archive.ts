// Verifies an archive from any place: recomputes all that can be derived, and reports differences as findings.
import { mapInOrder } from '../base/concurrently.ts'
import type { Selection } from '../format/mirror.ts'
import { manifestKey } from '../format/paths.ts'
import type { Sum } from '../format/sums.ts'
import { isLogged, type Leaf } from '../log/days.ts'
import { breachesIn } from '../log/deadline.ts'
import { faultInLeaves } from '../log/upgrade.ts'
import type { Place } from '../place/place.ts'
import { checkAbsentDays, checkDeadline, checkLink, type DayLink, DaySequence } from './chain.ts'
import { type CheckedDay, checkDay } from './day.ts'
import type { Decode, Survey } from './day-check.ts'
import { surveyOf } from './find-days.ts'
import { type DayReport, type Finding, isNote, type Report } from './findings.ts'
import { checkLog, type LogOptions, leavesIn, readLog } from './log.ts'
import { readSelection } from './mirror-selection.ts'
import { type Explains, readExplanations } from './records.ts'

/** Lets one day be read while another is decoded. */
const DAYS_AT_ONCE = 3

export interface VerifyOptions {
  /**
   * Called with the report of each day as soon as it is complete, in ascending order. Days that did not match the log
   * at first come last, since the log may be read again for them.
   */
  onDay?: (report: DayReport) => void
  /** See `checkDay`. */
  decode?: Decode
  log?: LogOptions
  /** The number of days in memory at the same time. */
  daysAtOnce?: number
  /** Do not read media files; only compare their sizes, where that is known. */
  quick?: boolean
  /** Called before the first day and after each one. */
  onProgress?: (done: number, days: number) => void
}

/**
 * Checks every day of a place, the chain and the log. An archive without any day fails.
 * @throws ArchiveError `archive_unavailable` if there is no readable archive
 */
export async function verifyArchive(place: Place, options: VerifyOptions = {}): Promise<Report> {
  const { onDay = () => {} } = options
  // Read the log before the days: a day sealed in between then lacks a leaf, which makes us read the log again.
  const files = await readLog(place)
  const { selection, findings: notes } = await readSelection(place)
  const logged = leavesIn(files)
  const survey = await surveyOf(place, selection, logged?.keys())
  const explanations = selection.records ? await readExplanations(place) : undefined
  const ofDays = { ...options, onDay, selection, explains: explanations?.explains }
  const { reports, sums, doubtful, absent } = await checkDays(place, survey, logged, ofDays)
  const log = await checkLog(place, files, sums, selection, options.log)
  for (const report of reports) {
    const finding = log.ofDays.get(report.day)
    if (!finding && !doubtful.has(report.day)) continue
    // It fails the day even if its files are consistent.
    if (finding) Object.assign(report, { ok: false, findings: [...report.findings, finding] })
    onDay(report)
  }
  // This is usually a wrong path or URL, which must not pass as a good archive.
  const noDays = { code: 'no_days', file: place.name, message: 'holds no day' } as const
  const findings: Finding[] = [
    ...survey.findings,
    ...notes,
    ...(reports.length === 0 ? [noDays] : []),
    ...(explanations?.findings ?? []),
    ...absent,
    ...log.findings,
  ]
  const ok = findings.every(isNote) && reports.every((report) => report.ok)
  return { ok, days: reports, findings, ...(log.log && { log: log.log }) }
}

interface DaysOptions extends VerifyOptions {
  onDay(report: DayReport): void
  selection: Selection
  explains: Explains | undefined
}

/** Checks each day, and what the days state about each other. @param logged see `leavesIn` */
async function checkDays(
  place: Place,
  survey: Survey,
  logged: ReadonlyMap<string, readonly Leaf[]> | null,
  { onDay, onProgress = () => {}, daysAtOnce = DAYS_AT_ONCE, selection, ...options }: DaysOptions,
) {
  const { days } = survey
  const checked = {
    /** Ascending. */
    reports: [] as DayReport[],
    /** Each day with its files; null if the manifest is damaged. */
    sums: new Map<string, Sum[] | null>(),
    /** The days that do not match the log as it was read, and were not reported yet. */
    doubtful: new Set<string>(),
    /** About days that have no leaf in the log. */
    absent: [] as Finding[],
  }
  const links: DayLink[] = []
  const leaves = [...(logged?.values() ?? [])].flat().sort((a, b) => a.index - b.index)
  const breaches = breachesIn(leaves)
  const sequence = new DaySequence()
  const check = (day: string) =>
    checkDay(place, survey, day, { ...options, kinds: selection.media })
  onProgress(0, days.length)
  for await (const one of mapInOrder(days, daysAtOnce, check)) {
    const { link } = one
    const { day } = link
    const findings = [
      ...one.findings,
      ...checkLink(link, links, selection.from),
      ...checkDeadline(link, breaches),
      ...sequence.check(link),
    ]
    const report = { day, ok: findings.every(isNote), findings }
    checked.sums.set(day, one.sums)
    links.push(link)
    checked.reports.push(report)
    if (logged && contradictsLog(one, logged.get(day))) checked.doubtful.add(day)
    else onDay(report)
    onProgress(checked.reports.length, days.length)
  }
  const nameOf = (day: string) => place.nameOf(manifestKey(day))
  checked.absent = checkAbsentDays(logged ?? new Map(), breaches, nameOf)
  return checked
}

/** Whether an undamaged manifest is not its day's newest leaf, or not an upgrade of the earlier ones. */
function contradictsLog({ manifest, sums }: CheckedDay, leaves: readonly Leaf[] = []): boolean {
  if (!manifest) return false
  return !isLogged(leaves.at(-1), sums) || faultInLeaves(manifest, leaves) !== null
}
