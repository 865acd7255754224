// Mirrors the leaves of days (FORMAT.md 21.1): those of each new day, and once those of the days that a mirror has
// already, from the newest backwards.
import { makeFolders } from '../base/folders.ts'
import { isArchiveError } from '../errors.ts'
import { LEAF_LINE_BYTES, readLeaves } from '../format/leaves.ts'
import { parseManifest } from '../format/manifest.ts'
import {
  keyOf,
  leavesKey,
  leavesName,
  manifestKey,
  partName,
  stagingFolder,
} from '../format/paths.ts'
import { hasMessages, type Records } from '../format/snapshot.ts'
import { FetchFailure } from '../http/failure.ts'
import { faultInSum, sumOfLeaves } from '../log/leaf-sum.ts'
import type { FolderPlace } from '../place/folder.ts'
import type { ServedPlace } from '../place/served.ts'
import { writeChecked } from './checked-file.ts'
import { stagedKey } from './folder.ts'

/** The size of the leaves of a day [bytes]. */
const sizeOf = ({ count }: Records): bigint => BigInt(count) * BigInt(LEAF_LINE_BYTES)

/** Whether a mirror has leaves of a day that another size shows to be damaged. */
export async function areLeavesDamaged(
  mirror: FolderPlace,
  day: string,
  records: Records | undefined,
): Promise<boolean> {
  if (!hasMessages(records)) return false
  const state = await mirror.stat(leavesKey(day))
  return state !== null && BigInt(state.bytes) !== sizeOf(records)
}

/**
 * Fetches the leaves of a day with messages, unless the mirror has them. They get their name once they have the root of
 * the day's records.
 * @returns whether the mirror has them; otherwise the source has none
 * @throws FetchFailure
 */
export async function fetchLeaves(
  origin: ServedPlace,
  mirror: FolderPlace,
  day: string,
  records: Records,
): Promise<boolean> {
  const key = leavesKey(day)
  const size = sizeOf(records)
  if (BigInt((await mirror.stat(key))?.bytes ?? -1) === size) return true
  const folder = stagingFolder(day)
  await makeFolders(mirror.pathOf(folder))
  const part = mirror.pathOf(keyOf(folder, partName(leavesName(day))))
  try {
    // One byte more than expected shows that the source has more.
    const take = (chunks: AsyncIterable<Uint8Array>) => store(part, chunks, records)
    await origin.scan(key, Number(size) + 1, take)
  } catch (error) {
    if (error instanceof FetchFailure && error.code === 'missing') return false
    throw error
  }
  await mirror.moveIn(part, key)
  return true
}

/** Writes leaves to a partial file, and checks them meanwhile. @throws FetchFailure `leaves_differ` */
async function store(
  part: string,
  chunks: AsyncIterable<Uint8Array>,
  records: Records,
): Promise<void> {
  try {
    await writeChecked(part, chunks, async (written) => {
      const fault = faultInSum(await sumOfLeaves(readLeaves(written)), records)
      if (fault) throw new FetchFailure('leaves_differ', fault)
    })
  } catch (error) {
    if (!isArchiveError(error, 'leaves_differ')) throw error
    throw new FetchFailure('leaves_differ', error.message, { cause: error })
  }
}

/**
 * Fetches the leaves of the days that a mirror has without them, from the newest backwards, until the source lacks those
 * of a day with messages: no earlier day has any (FORMAT.md 24.2).
 * @param days ascending
 * @throws FetchFailure of the day that it names as its `url`
 */
export async function fillLeaves(
  origin: ServedPlace,
  mirror: FolderPlace,
  days: readonly string[],
): Promise<void> {
  for (const day of days.toReversed()) {
    if (await mirror.stat(leavesKey(day))) continue
    const manifest = await mirror.get(manifestKey(day))
    if (!manifest) continue
    const { records } = parseManifest(manifest.content).snapshot
    // Of a day that is incomplete, the leaves come with the other files.
    const isIncomplete = (await mirror.stat(stagedKey(day))) !== null
    if (!hasMessages(records) || isIncomplete) continue
    const isFound = await fetchLeaves(origin, mirror, day, records).finally(() =>
      mirror.remove(stagingFolder(day)),
    )
    if (!isFound) return
  }
}
