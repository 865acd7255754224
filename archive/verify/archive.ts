// Verifies an archive from any place: recomputes everything that can be derived, and reports differences
// as findings.
import { mapInOrder } from '../base/map-in-order.ts'
import { keyOf, manifestKey } from '../format/paths.ts'
import type { Sum } from '../format/sums.ts'
import { isLogged, type Leaf } from '../log/days.ts'
import { faultInLeaves } from '../log/upgrade.ts'
import type { BucketMemory } from '../place/memory.ts'
import type { Place } from '../place/place.ts'
import { checkLink, type Link } from './chain.ts'
import type { Decode } from './check.ts'
import { type CheckedDay, type CheckRecords, checkDay } from './day.ts'
import { Deadlines } from './deadlines.ts'
import { nameOf } from './file.ts'
import { surveyOf } from './find-days.ts'
import { type DayReport, type Finding, isNote, type Report } from './findings.ts'
import { checkLog, type LogOptions, leavesIn, readLog } from './log.ts'
import { readSelection } from './selection.ts'
import { DaySequence } from './sequence.ts'
import { readExplanations } from './words.ts'

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
  /** Media files of a bucket that were verified before; unchanged ones are not read again. */
  memory?: BucketMemory | undefined
  /** Checks the records that a manifest states. */
  checkRecords?: CheckRecords | undefined
  /** Called before the first day and after each one. */
  onProgress?: (done: number, days: number) => void
}

/**
 * Checks every day of a place, the chain and the log. An archive without any day fails.
 * @throws ArchiveError `archive_unavailable` if there is no readable archive
 */
export async function verifyArchive(place: Place, options: VerifyOptions = {}): Promise<Report> {
  const {
    onDay = () => {},
    onProgress = () => {},
    daysAtOnce = DAYS_AT_ONCE,
    log: logOptions,
  } = options
  // Read the log before the days: a day sealed in between then lacks a leaf, which makes us read the log again.
  const log = await readLog(place)
  const { selection, findings: notes } = await readSelection(place)
  const survey = await surveyOf(place, selection)
  const { days } = survey
  const findings = [...survey.findings, ...notes]
  if (days.length === 0) findings.push(noDays(place))
  onProgress(0, days.length)
  const leaves = leavesIn(log)
  const reports: DayReport[] = []
  const doubtful = new Set<string>()
  const links: Link[] = []
  const deadlines = new Deadlines(leaves)
  const sequence = new DaySequence()
  const sums = new Map<string, Sum[] | null>()
  const words = selection.records ? await readExplanations(place) : undefined
  findings.push(...(words?.findings ?? []))
  const ofDays = { ...options, kinds: selection.media, words: words?.explanations }
  const check = (day: string) => checkDay(place, survey, day, ofDays)
  for await (const checked of mapInOrder(days, daysAtOnce, check)) {
    const { link } = checked
    const { day } = link
    const ofDay = [
      ...checked.findings,
      ...checkLink(link, links, selection.from),
      ...deadlines.check(link, checked.hasLeaves),
      ...sequence.check(link, checked.hasLeaves, (name) => nameOf(place, keyOf(day, name))),
    ]
    const report = { day, ok: ofDay.every(isNote), findings: ofDay }
    sums.set(day, checked.sums)
    links.push(link)
    reports.push(report)
    if (leaves && contradictsLog(checked, leaves.get(day))) doubtful.add(day)
    else onDay(report)
    onProgress(reports.length, days.length)
  }
  findings.push(...deadlines.ofAbsentDays((day) => nameOf(place, manifestKey(day))))
  const checkedLog = await checkLog(place, log, sums, selection, logOptions)
  findings.push(...checkedLog.findings)
  addToDays(reports, checkedLog.ofDays)
  for (const report of reports)
    if (doubtful.has(report.day) || checkedLog.ofDays.has(report.day)) onDay(report)
  const ok = findings.every(isNote) && reports.every((report) => report.ok)
  return { ok, days: reports, findings, ...(checkedLog.log && { log: checkedLog.log }) }
}

/** Whether an undamaged manifest is not its day's newest leaf, or not an upgrade of the earlier ones. */
function contradictsLog({ manifest, sums }: CheckedDay, leaves: readonly Leaf[] = []): boolean {
  if (!manifest) return false
  return !isLogged(leaves.at(-1), sums) || faultInLeaves(manifest, leaves) !== null
}

/** Adds the log's findings about days, which fail the day even if its files are consistent. */
function addToDays(reports: readonly DayReport[], ofDays: ReadonlyMap<string, Finding>): void {
  for (const report of reports) {
    const finding = ofDays.get(report.day)
    if (!finding) continue
    report.findings.push(finding)
    report.ok = false
  }
}

/** This is usually a wrong path or URL, which must not pass as a good archive. */
function noDays({ name }: Place): Finding {
  return { code: 'no_days', file: name, message: 'holds no day' }
}
