// Checks an archive: derives again whatever can be derived, compares, and reports what differs as
// data. One function for a folder and for a service over HTTP.
import type { Sum } from '../format/sums.ts'
import { isLogged } from '../log/days.ts'
import type { StoreMemory } from '../place/memory.ts'
import { checkLink, type Link } from './chain.ts'
import type { Decode } from './check.ts'
import { checkDay } from './day.ts'
import { type DayReport, type Finding, isNote, type Report } from './findings.ts'
import { inOrder } from './in-order.ts'
import { checkLog, type LogOptions, leavesIn, readLog } from './log.ts'
import type { Source } from './source.ts'

/** One day is read while another is decoded. */
const DAYS_AT_ONCE = 3

export interface VerifyOptions {
  /**
   * Is called with the report of each day as soon as it is complete: ascending, and then those that the log did not
   * name at first, once it was read again.
   */
  onDay?: (report: DayReport) => void
  /** As for `checkDay`. */
  decode?: Decode
  log?: LogOptions
  /** How many days are in memory at once. */
  daysAtOnce?: number
  /** Leave the bytes of media unread, and compare only their sizes where the source tells them. */
  quick?: boolean
  /** Media that were proven before, of a store; a medium that is still the same is not read. */
  memory?: StoreMemory | undefined
  /** Is called before the first day, and after each one. */
  onProgress?: (done: number, days: number) => void
}

/**
 * Checks every day of a source, and the chain that they make. A place without any day fails.
 * @throws ArchiveError `archive_unavailable` when there is no archive to be read
 */
export async function verifyArchive(source: Source, options: VerifyOptions = {}): Promise<Report> {
  const {
    onDay = () => {},
    onProgress = () => {},
    daysAtOnce = DAYS_AT_ONCE,
    log: logOptions,
  } = options
  // Before the days: one that is sealed meanwhile then lacks a leaf, and the log is read again.
  const log = await readLog(source)
  const { days, findings, selection } = await source.list()
  if (days.length === 0) findings.push(noDays(source))
  onProgress(0, days.length)
  const leaves = leavesIn(log)
  const reports: DayReport[] = []
  const doubtful: DayReport[] = []
  const links: Link[] = []
  const sums = new Map<string, Sum[] | null>()
  const check = (day: string) => checkDay(source, day, { ...options, kinds: selection.media })
  for await (const checked of inOrder(days, daysAtOnce, check)) {
    const { link } = checked
    const { day } = link
    const ofDay = [...checked.findings, ...checkLink(link, links, selection.from)]
    const report = { day, ok: ofDay.every(isNote), findings: ofDay }
    sums.set(day, checked.sums)
    links.push(link)
    reports.push(report)
    if (leaves && checked.sums && !isLogged(leaves.get(day), checked.sums)) doubtful.push(report)
    else onDay(report)
    onProgress(reports.length, days.length)
  }
  const checkedLog = await checkLog(source, log, sums, selection, logOptions)
  findings.push(...checkedLog.findings)
  addToDays(reports, checkedLog.ofDays)
  for (const report of doubtful) onDay(report)
  const ok = findings.every(isNote) && reports.every((report) => report.ok)
  return { ok, days: reports, findings, ...(checkedLog.log && { log: checkedLog.log }) }
}

/** A day that the log does not have as it is here is not good, whatever its files show. */
function addToDays(reports: readonly DayReport[], ofDays: ReadonlyMap<string, Finding>): void {
  for (const report of reports) {
    const finding = ofDays.get(report.day)
    if (!finding) continue
    report.findings.push(finding)
    report.ok = false
  }
}

/** Most often it is the wrong place, which must not pass for a good archive. */
function noDays({ place }: Source): Finding {
  return { code: 'no_days', file: place, message: 'holds no day' }
}
