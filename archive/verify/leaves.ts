// Reads a file of an archive in pieces, and checks `<day>.leaves` against the records of the day (FORMAT.md 22.1).
import { type BadFile, badFile, caught, isFileDamage } from '../base/errors.ts'
import { systemCode } from '../base/system-error.ts'
import { boundOf } from '../format/bounds.ts'
import { LEAF_LINE_BYTES, readLeaves } from '../format/leaves.ts'
import { leavesKey, leavesName } from '../format/paths.ts'
import type { SealedRecords } from '../format/snapshot.ts'
import { CHECK_LIMITS } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { compareLeaves } from '../log/sealed-records.ts'
import type { Hash } from '../log/tree.ts'
import type { Place } from '../place/place.ts'
import type { Check } from './day-check.ts'

/**
 * Checks the leaves of a day.
 * @returns whether they are there, and are those of its records
 */
export async function checkLeaves(check: Check, records: SealedRecords): Promise<boolean> {
  const { place, day, report } = check
  const leaves = await readDayLeaves(place, day, records)
  if (!('problem' in leaves)) return true
  report(leavesName(day), leaves.problem.code, leaves.problem.message)
  return false
}

/**
 * Reads the leaves of a day, and checks that they are those of its records. Of a longer file it reads one line too many.
 * @param index that of a leaf to return; `wanted` is null if there is none
 */
export async function readDayLeaves(
  place: Place,
  day: string,
  records: SealedRecords,
  index?: bigint,
): Promise<{ wanted: Hash | null } | BadFile> {
  const limit = (BigInt(records.count) + 1n) * BigInt(LEAF_LINE_BYTES)
  const take = (chunks: AsyncIterable<Uint8Array>) =>
    compareLeaves(readLeaves(chunks), records, index)
  const malformed = caught(({ message }) => badFile('leaves_differ', message), 'leaves_differ')
  const leaves = await scanFile(place, leavesKey(day), limit, take).catch(malformed)
  if ('problem' in leaves || leaves.fault === null) return leaves
  return badFile('leaves_differ', leaves.fault)
}

/**
 * Reads a file in pieces, within its bound and a limit; of a longer one, it passes on only as much [bytes].
 * @param take called again if the file has to be read again
 */
export async function scanFile<T>(
  place: Place,
  key: string,
  limit: bigint,
  take: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T | BadFile> {
  const bound = boundOf(key)
  const most = limit < bound ? Number(limit) : bound
  for (let tries = 1; ; tries += 1) {
    const chunks = await place.open(key, 0, most - 1)
    if ('problem' in chunks) return chunks
    try {
      return await take(chunks)
    } catch (error) {
      if (isFileDamage(error)) return badFile('unreadable', `cannot be read (${systemCode(error)})`)
      if (!(error instanceof FetchFailure)) throw error
      if (!error.isTransient || tries === CHECK_LIMITS.tries) return { problem: error }
    }
  }
}
