// Checks an archive: derives everything that can be derived again, compares, and says what it
// found as data. One function for a folder and for a service over HTTP.
import { checkLink, type Link } from './chain.ts'
import { checkDay } from './day.ts'
import { type DayReport, isNote, type Protocol, type Report, type Source } from './findings.ts'

export {
  type DayReport,
  type Finding,
  isNote,
  type Protocol,
  type Report,
} from './findings.ts'
export { folderSource } from './folder.ts'
export { serviceSource } from './service.ts'

/** How many days are in memory at once: one is read while another is decoded. */
const DAYS_AT_ONCE = 3

/**
 * Checks every day of a source, and the chain that they make.
 * @param onDay hears each day's report as soon as it stands, ascending
 * @throws ArchiveError `archive_unavailable` when there is no archive to be read
 */
export async function verifyArchive(
  source: Source,
  protocol: Protocol,
  onDay: (report: DayReport) => void = () => {},
): Promise<Report> {
  const { days, findings } = await source.list()
  const reports: DayReport[] = []
  const links: Link[] = []
  const checks = inOrder(days, DAYS_AT_ONCE, (day) => checkDay(source, day, protocol))
  for await (const { findings, link } of checks) {
    findings.push(...checkLink(link, links))
    links.push(link)
    const report = { day: link.day, ok: findings.every(isNote), findings }
    reports.push(report)
    onDay(report)
  }
  const ok = findings.every(isNote) && reports.every((report) => report.ok)
  return { ok, days: reports, findings }
}

/** Works on several items at once, and gives the results in the order of the items. */
async function* inOrder<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = []
  for (const item of items) {
    const result = work(item)
    // One that fails while an earlier one is awaited is heard when its turn comes.
    result.catch(() => {})
    running.push(result)
    if (running.length >= width) yield running.shift() as Promise<R>
  }
  yield* running
}
