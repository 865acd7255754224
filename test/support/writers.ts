// Opens writers for tests: of a folder, as the only run, and of a bucket, as one of several.
import type { Disk } from '../../archive/base/durable.ts'
import { makeFolders } from '../../archive/base/folders.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import type { WritablePlace } from '../../archive/place/place.ts'
import { ArchiveWriter } from '../../archive/writing/writer.ts'

/** @param options.create create a missing folder */
export async function openWriter(
  dir: string,
  { create, disk }: { create: boolean; disk?: Disk },
): Promise<ArchiveWriter> {
  if (create) await makeFolders(dir)
  return new ArchiveWriter(folderPlace(dir, disk), { isShared: false })
}

export const bucketWriter = (bucket: WritablePlace): ArchiveWriter =>
  new ArchiveWriter(bucket, { isShared: true })
