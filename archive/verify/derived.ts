// Checks the check files, which are derived from the days (FORMAT.md 14).
import { mapInOrder } from '../base/concurrently.ts'
import { daySumsName, keyOf, manifestName, SUMS_FILE } from '../format/paths.ts'
import { archiveSums, daySums, type Sum } from '../format/sums.ts'
import type { LogEntry } from '../log/days.ts'
import { type Place, textOf } from '../place/place.ts'
import { isService } from '../place/served.ts'
import { type Finding, findingOn } from './findings.ts'
import type { DaySums } from './logged-days.ts'

/** The files are small, but on a remote archive each costs a request. */
const DAYS_AT_ONCE = 8

/** Checks the check files that exist. A missing one is no fault, since no manifest names it. */
export async function checkDerived(
  place: Place,
  entries: readonly LogEntry[],
  days: DaySums,
): Promise<Finding[]> {
  const findings = await checkSums(place, entries, days)
  // A service composes those of days on request.
  if (isService(place)) return findings
  const check = async ([day, sums]: [string, readonly Sum[] | null]) =>
    sums ? checkDaySums(place, day, sums, entries) : []
  for await (const ofDay of mapInOrder(days, DAYS_AT_ONCE, check)) findings.push(...ofDay)
  return findings
}

async function checkSums(place: Place, entries: readonly LogEntry[], days: DaySums) {
  // Nothing is known about the files of a day whose manifest is damaged.
  const known = [...days].filter(([, sums]) => sums !== null)
  const expected = known.map(([day, sums]) => archiveSums(day, sums)).join('')
  const former = entries.flatMap((entry) => [
    archiveSums(entry.day, [manifestSum(entry)]),
    archiveSums(entry.day, null),
  ])
  return compare(place, SUMS_FILE, expected, former, (line) => days.get(dayInLine(line)) !== null)
}

/** The day that a line of `SHA256SUMS` is about; another text for any other line. */
function dayInLine(line: string): string {
  return /^# (.*): damaged\n$/.exec(line)?.[1] ?? line.slice(66, 76)
}

async function checkDaySums(
  place: Place,
  day: string,
  sums: readonly Sum[],
  entries: readonly LogEntry[],
): Promise<Finding[]> {
  const former = entries
    .filter((entry) => entry.day === day)
    .map((entry) => daySums([manifestSum(entry)]))
  return compare(place, keyOf(day, daySumsName(day)), daySums(sums), former)
}

function manifestSum({ day, sha256 }: LogEntry): Sum {
  return { name: manifestName(day), sha256 }
}

/** What a message shows of a line, which has a hash and a name of 79 characters at most. */
const MAX_SHOWN = 160

/**
 * Compares a check file, if it exists, with what it should contain.
 * @param former lines that were correct earlier: before a media file became available, or while a day was damaged
 * @param isKnown whether it is known what a line should be
 */
async function compare(
  place: Place,
  key: string,
  expected: string,
  former: readonly string[],
  isKnown: (line: string) => boolean = () => true,
): Promise<Finding[]> {
  const read = await place.read(key)
  const file = place.nameOf(key)
  if ('problem' in read) return read.problem.code === 'missing' ? [] : [findingOn(file, read)]
  const lines = textOf(read)
    .split(/(?<=\n)/)
    .filter(isKnown)
  if (lines.join('') === expected) return []
  const correct = new Set([...expected.split(/(?<=\n)/), ...former])
  const wrong = lines.find((line) => line !== '' && !correct.has(line))
  if (wrong !== undefined) {
    // A message is one line, whatever the file contains.
    const line = wrong
      .slice(0, MAX_SHOWN)
      .trimEnd()
      .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')
    const message = `states ${line || 'an empty line'}, which is wrong`
    return [{ code: 'check_file_differs', file, message }]
  }
  const message = 'does not list each file once and in order yet; the next run updates it'
  return [{ code: 'check_file_old', file, message }]
}
