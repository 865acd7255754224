// Mirrors the leaves of a day (FORMAT.md 19.1).
import { writeChecked } from '../base/durable.ts'
import { isArchiveError } from '../base/errors.ts'
import { makeFolders } from '../base/folders.ts'
import { LEAF_LINE_BYTES, readLeaves } from '../format/leaves.ts'
import { keyOf, leavesKey, leavesName, partName, stagingFolder } from '../format/paths.ts'
import { hasMessages, type SealedRecords } from '../format/snapshot.ts'
import { partOf } from '../http/body.ts'
import { statusFailure } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { compareLeaves } from '../log/sealed-records.ts'
import type { FolderPlace } from '../place/folder.ts'
import type { ServedPlace } from '../place/served.ts'

/** The size of the leaves of a day [bytes]. */
const sizeOf = ({ count }: SealedRecords): bigint => BigInt(count) * BigInt(LEAF_LINE_BYTES)

/** Whether a mirror lacks the leaves of a day, or another size shows them to be damaged. */
export async function lacksLeaves(
  mirror: FolderPlace,
  day: string,
  records: SealedRecords,
): Promise<boolean> {
  if (!hasMessages(records)) return false
  const state = await mirror.stat(leavesKey(day))
  return state === null || BigInt(state.bytes) !== sizeOf(records)
}

/**
 * Fetches the leaves of a day, unless the mirror has them. They get their name once their root is that of its records.
 * @throws FetchFailure
 */
export async function fetchLeaves(
  origin: ServedPlace,
  mirror: FolderPlace,
  day: string,
  records: SealedRecords,
): Promise<void> {
  if (!(await lacksLeaves(mirror, day, records))) return
  const key = leavesKey(day)
  const folder = stagingFolder(day)
  await makeFolders(mirror.pathOf(folder))
  const part = mirror.pathOf(keyOf(folder, partName(leavesName(day))))
  await origin.fetch(
    key,
    () => ({}),
    (answer) => {
      if (answer.status !== 200) throw statusFailure(answer)
      // One byte more than expected shows that the source has more.
      return store(part, partOf(answer, 0, Number(sizeOf(records))), records)
    },
  )
  await mirror.moveIn(part, key)
}

/** Writes leaves to a partial file, and checks them meanwhile. @throws FetchFailure `leaves_differ` */
async function store(part: string, chunks: AsyncIterable<Uint8Array>, records: SealedRecords) {
  try {
    await writeChecked(part, chunks, async (written) => {
      const { fault } = await compareLeaves(readLeaves(written), records)
      if (fault) throw new FetchFailure('leaves_differ', fault)
    })
  } catch (error) {
    if (!isArchiveError(error, 'leaves_differ')) throw error
    throw new FetchFailure('leaves_differ', error.message, { cause: error })
  }
}
