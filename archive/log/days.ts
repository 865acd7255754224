// The log of days: reads and writes the file `log`, one leaf per line, and hashes its leaves (FORMAT.md 15).
import { ArchiveError } from '../base/errors.ts'
import { isDay } from '../format/calendar.ts'
import { isSha256, manifestName } from '../format/paths.ts'
import type { Sum } from '../format/sums.ts'
import { type Hash, leafHash } from './tree.ts'

/** A sealed manifest. */
export interface LogEntry {
  day: string
  /** The hash of the manifest's bytes, 64 lowercase hex digits. */
  sha256: string
}

export function dayLeaf({ day, sha256 }: LogEntry): Hash {
  return leafHash(Buffer.from(`daysignal-day-v1\n${day}\n${sha256}\n`))
}

export function logBytes(entries: readonly LogEntry[]): Uint8Array {
  return Buffer.from(entries.map(({ day, sha256 }) => `${day} ${sha256}\n`).join(''))
}

/**
 * Parses `log`.
 * @throws ArchiveError `invalid_log` naming the line
 */
export function parseLog(bytes: Uint8Array): LogEntry[] {
  const lines = Buffer.from(bytes).toString('latin1').split('\n')
  if (lines.pop() !== '') throw new ArchiveError('invalid_log', 'does not end with a line break')
  return lines.map((line, index) => {
    const [day, sha256] = [line.slice(0, 10), line.slice(11)]
    if (!isDay(day) || line[10] !== ' ' || !isSha256(sha256))
      throw new ArchiveError('invalid_log', `line ${index + 1} is not a day and a SHA-256`)
    return { day, sha256 }
  })
}

/**
 * Whether a day's manifest is its newest leaf.
 * @param sums the day's files; null if they are unknown
 */
export function isLogged(leaf: LogEntry | undefined, sums: readonly Sum[] | null): boolean {
  const name = leaf && manifestName(leaf.day)
  return sums?.some((sum) => sum.name === name && sum.sha256 === leaf?.sha256) ?? false
}

export interface Leaf extends LogEntry {
  index: number
}

export function newestLeaves(entries: readonly LogEntry[]): Map<string, Leaf> {
  return new Map(entries.map((entry, index) => [entry.day, { ...entry, index }]))
}

/** All leaves of each day, oldest first. */
export function leavesByDay(entries: readonly LogEntry[]): Map<string, Leaf[]> {
  return Map.groupBy(
    entries.map((entry, index) => ({ ...entry, index })),
    ({ day }) => day,
  )
}

/** The newest of some days; null if there is none. */
export function newestOf(days: Iterable<string>): string | null {
  let newest: string | null = null
  for (const day of days) if (newest === null || day > newest) newest = day
  return newest
}
