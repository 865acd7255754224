// Reads the records of a day from the database without blocking requests (FORMAT.md 20), and whether a day has some.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isArchiveError } from '../../archive/errors.ts'
import { dayOf, daySpan } from '../../archive/format/calendar.ts'
import type { Records } from '../../archive/format/snapshot.ts'
import { DayLeaves, recordsWith } from '../../archive/log/records.ts'
import { GrowingTree } from '../../archive/log/tree.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import { readRecorded } from '../data/recorded.ts'
import type { Queryable } from '../database/database.ts'
import type { Clock } from '../system.ts'

/** Leaves added to a tree before yielding to the event loop: a few milliseconds of work. */
const LEAVES_PER_TURN = 2000

/**
 * Reads a day in the database in slices and yields to the event loop between them.
 * @param signal aborts at the next yield
 */
export async function readDayRecords(
  db: Queryable,
  day: string,
  signal: AbortSignal,
): Promise<Records> {
  const pause = () => nextTurn(undefined, { signal })
  const leaves = new DayLeaves()
  for await (const page of readRecorded(db, daySpan(day))) {
    for (const message of page) leaves.add(message)
    await pause()
  }
  const ids = leaves.ids()
  const tree = new GrowingTree()
  for (const [index, id] of ids.entries()) {
    if (index % LEAVES_PER_TURN === 0) await pause()
    tree.add(leaves.leafOf(id))
  }
  return recordsWith(ids, tree.root())
}

/**
 * Returns a function that returns whether a day was sealed with its records; false if the archive cannot be read. Each day
 * is looked up until it is sealed: its snapshot never changes then.
 */
export function sealedWithRecords(
  archive: Pick<ArchiveReader, 'manifest'>,
  clock: Clock,
): (day: string) => Promise<boolean> {
  const known = new Map<string, boolean>()
  return async (day) => {
    const found = known.get(day)
    if (found !== undefined) return found
    if (day >= dayOf(clock.now())) return false
    const sealed = await archive.manifest(day).catch(nullIfUnreadable)
    if (sealed === null) return false
    const hasRecords = sealed.manifest.snapshot.records !== undefined
    known.set(day, hasRecords)
    return hasRecords
  }
}

function nullIfUnreadable(error: unknown): null {
  if (isArchiveError(error)) return null
  throw error
}
