// Reads the records of a day without blocking requests (FORMAT.md 20): from the database, or the leaves from the archive.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { ArchiveError, isArchiveError } from '../../archive/errors.ts'
import { dayOf, daySpan } from '../../archive/format/calendar.ts'
import { readLeaves } from '../../archive/format/leaves.ts'
import { leavesKey } from '../../archive/format/paths.ts'
import type { Records } from '../../archive/format/snapshot.ts'
import { DayLeaves, recordsWith } from '../../archive/log/records.ts'
import { StoredTree } from '../../archive/log/stored-tree.ts'
import type { ArchiveReader } from '../../archive/reading/reader.ts'
import type { Queryable } from '../database/database.ts'
import { readRecorded } from '../database/records/recorded.ts'
import type { Clock } from '../system.ts'

/** Leaves added to a tree before yielding to the event loop: a few milliseconds of work. */
const LEAVES_PER_TURN = 2000

/** The records of a day with the tree of their leaves. */
export interface DayRecords {
  records: Records
  tree: StoredTree
  /** The ids in the order of the leaves; null if they are consecutive. */
  ids: BigInt64Array | null
}

/**
 * Reads a day in the database in slices and yields to the event loop between them.
 * @param signal aborts at the next yield
 */
export async function readDayRecords(
  db: Queryable,
  day: string,
  signal?: AbortSignal,
): Promise<DayRecords> {
  const pause = () => nextTurn(undefined, { ...(signal && { signal }) })
  const leaves = new DayLeaves()
  for await (const page of readRecorded(db, daySpan(day))) {
    for (const message of page) leaves.add(message)
    await pause()
  }
  const ids = leaves.ids()
  const tree = new StoredTree(ids.length)
  for (const [index, id] of ids.entries()) {
    if (index % LEAVES_PER_TURN === 0) await pause()
    tree.add(leaves.leafOf(id))
  }
  return { records: recordsWith(ids, tree.root()), tree, ids }
}

/**
 * Reads the leaves of a day in the archive, whose ids are consecutive (FORMAT.md 24).
 * @param sealed the records that the day was sealed with
 * @returns null if the archive has none
 * @throws ArchiveError `leaves_differ` if they do not have the root of these records
 */
export async function readDayLeaves(
  archive: Pick<ArchiveReader, 'leaves'>,
  day: string,
  sealed: Records,
): Promise<DayRecords | null> {
  const file = await archive.leaves(day)
  if (!file) return null
  const tree = new StoredTree(Number(sealed.count))
  const differ = () =>
    new ArchiveError('leaves_differ', `${leavesKey(day)}: is not what was sealed`)
  let added = 0
  for await (const leaf of readLeaves(await file.open())) {
    if (tree.isComplete) throw differ()
    tree.add(leaf)
    added += 1
    if (added % LEAVES_PER_TURN === 0) await nextTurn()
  }
  if (!tree.isComplete || Buffer.from(tree.root()).toString('hex') !== sealed.root) throw differ()
  return { records: sealed, tree, ids: null }
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
