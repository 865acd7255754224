// Checks the files that are derived from the days (FORMAT.md 16): check files and proofs.

import { mapInOrder } from '../base/map-in-order.ts'
import { ArchiveError } from '../errors.ts'
import { MAX_NOTE_BYTES, MAX_SUMS_BYTES } from '../format/bounds.ts'
import { dayProofName, daySumsName, LOG_FILE, manifestName, SUMS_FILE } from '../format/paths.ts'
import { archiveSums, daySums, type Sum } from '../format/sums.ts'
import { dayLeaf, type LogEntry, newestLeaves } from '../log/days.ts'
import type { Verifier } from '../log/note.ts'
import { demandStoredProof } from '../log/proof.ts'
import { type Hash, rootsOf } from '../log/tree.ts'
import type { Finding } from './findings.ts'
import type { Source } from './source.ts'

/** The files are small, but on a remote archive each costs a request. */
const DAYS_AT_ONCE = 8

type Days = ReadonlyMap<string, readonly Sum[] | null>

/**
 * Checks the derived files that exist. A missing one is no fault, since no manifest names it.
 * @param keys the log's keys, of which one must have signed each stored proof
 */
export async function checkDerived(
  source: Source,
  entries: readonly LogEntry[],
  keys: readonly Verifier[],
  days: Days,
): Promise<Finding[]> {
  const findings = await checkSums(source, entries, days)
  if (!source.holdsDerived) return findings
  const newest = newestLeaves(entries)
  const roots = rootsOf(entries.map(dayLeaf))
  const check = async ([day, sums]: [string, readonly Sum[] | null]) => {
    const leaf = newest.get(day)
    return [
      ...(sums ? await checkDaySums(source, day, sums, entries) : []),
      ...(leaf ? await checkProof(source, leaf, roots, keys) : []),
    ]
  }
  for await (const ofDay of mapInOrder(days, DAYS_AT_ONCE, check)) findings.push(...ofDay)
  return findings
}

/** Checks that an archive without a log has no stored proof either, which would mean that the log was removed. */
export async function checkUnlogged(source: Source, days: Iterable<string>): Promise<Finding[]> {
  if (!source.holdsDerived) return []
  for (const day of days) {
    const name = dayProofName(day)
    if ('problem' in (await source.read(day, name, MAX_NOTE_BYTES))) continue
    const message = `is missing, and ${source.nameOf(day, name)} proves a leaf of it`
    return [{ code: 'log_missing', file: source.rootName(LOG_FILE), message }]
  }
  return []
}

async function checkSums(
  source: Source,
  entries: readonly LogEntry[],
  days: Days,
): Promise<Finding[]> {
  const file = await source.readRoot(SUMS_FILE, MAX_SUMS_BYTES)
  if ('problem' in file)
    return file.problem.code === 'missing'
      ? []
      : [{ ...file.problem, file: source.rootName(SUMS_FILE) }]
  const expected = [...days].map(([day, sums]) => archiveSums(day, sums)).join('')
  const former = entries.map((entry) => archiveSums(entry.day, [manifestSum(entry)]))
  return compare(source.rootName(SUMS_FILE), file.bytes, expected, former)
}

async function checkDaySums(
  source: Source,
  day: string,
  sums: readonly Sum[],
  entries: readonly LogEntry[],
): Promise<Finding[]> {
  const name = daySumsName(day)
  const file = await source.read(day, name, MAX_SUMS_BYTES)
  if ('problem' in file)
    return file.problem.code === 'missing'
      ? []
      : [{ ...file.problem, file: source.nameOf(day, name) }]
  const former = entries
    .filter((entry) => entry.day === day)
    .map((entry) => daySums([manifestSum(entry)]))
  return compare(source.nameOf(day, name), file.bytes, daySums(sums), former)
}

function manifestSum({ day, sha256 }: LogEntry): Sum {
  return { name: manifestName(day), sha256 }
}

/** @param former lines that were correct earlier, before a media file became available */
function compare(
  file: string,
  bytes: Uint8Array,
  expected: string,
  former: readonly string[],
): Finding[] {
  const text = Buffer.from(bytes).toString()
  if (text === expected) return []
  const correct = new Set([...expected.split(/(?<=\n)/), ...former])
  const wrong = text
    .split(/(?<=\n)/)
    .find((line) => line !== '' && !line.startsWith('#') && !correct.has(line))
  if (wrong !== undefined) {
    // A message is one line, whatever the file contains.
    const line = wrong.trimEnd().replaceAll(/[\p{Cc}\u2028\u2029]/gu, '\ufffd')
    return [{ code: 'check_file_differs', file, message: `states ${line}, which is wrong` }]
  }
  const message = 'does not list all files yet; the next run updates it'
  return [{ code: 'check_file_old', file, message }]
}

/** @param roots the log's roots, by size */
async function checkProof(
  source: Source,
  leaf: LogEntry,
  roots: readonly Hash[],
  keys: readonly Verifier[],
): Promise<Finding[]> {
  const name = dayProofName(leaf.day)
  const file = source.nameOf(leaf.day, name)
  const read = await source.read(leaf.day, name, MAX_NOTE_BYTES)
  if ('problem' in read) return read.problem.code === 'missing' ? [] : [{ ...read.problem, file }]
  try {
    demandStoredProof(read.bytes, dayLeaf(leaf), roots, keys)
    return []
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    return [{ code: 'invalid_proof', file, message: error.message }]
  }
}
