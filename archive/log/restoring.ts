// Reconstructs a lost or damaged log that matches its signed checkpoints (WRITING.md 2.6). Pure.
import { orNull } from '../errors.ts'
import type { Checkpoint } from './checkpoint.ts'
import { continues } from './continuity.ts'
import { type LogEntry, newestLeaves, parseLog } from './days.ts'

/**
 * Finds the lines that give the roots of all these checkpoints. The candidates need no trust, because only the
 * roots decide.
 * @param signed at least one
 * @param parts beginnings of the log, from any source
 * @param published the manifests at hand, ascending by day; appended to a part in this order
 * @returns null if no candidate gives the roots
 */
export function restoredLog(
  signed: readonly Checkpoint[],
  parts: readonly (readonly LogEntry[])[],
  published: readonly LogEntry[],
): LogEntry[] | null {
  const size = Math.max(...signed.map((checkpoint) => checkpoint.size))
  for (const part of [...parts, []]) {
    const known = part.slice(0, size)
    const newest = newestLeaves(known)
    const others = published.filter(({ day, sha256 }) => newest.get(day)?.sha256 !== sha256)
    const candidate = [...known, ...others].slice(0, size)
    if (signed.every((checkpoint) => continues(candidate, checkpoint))) return candidate
  }
  return null
}

/** The entries of a damaged `log` up to its first invalid line. */
export function linesBeforeDamage(bytes: Uint8Array): LogEntry[] {
  const entries: LogEntry[] = []
  const lines = Buffer.from(bytes)
    .toString('latin1')
    .split(/(?<=\n)/)
  for (const line of lines) {
    const read = orNull(() => parseLog(Buffer.from(line, 'latin1')), 'invalid_log')
    if (!read) break
    entries.push(...read)
  }
  return entries
}
