// Writes the files that are derived from the days, for plain file servers (FORMAT.md 16).
import { join } from 'node:path'
import { ArchiveError } from '../errors.ts'
import { bytesOf } from '../files.ts'
import { indexPage, type ListedDay } from '../format/index-page.ts'
import {
  daySumsName,
  INDEX_PAGE,
  MEDIA_KINDS,
  type MediaKind,
  SUMS_FILE,
  TEMPORARY,
} from '../format/paths.ts'
import { archiveSums, daySums, type Sum, sumsOfDay } from '../format/sums.ts'
import type { ArchiveReader } from '../reader.ts'
import { writeDurably } from './durable.ts'
import type { WritableArchive } from './staging.ts'

/** The archive's own folder. */
const ROOT = '.'

/**
 * Writes `SHA256SUMS` and each `<day>.sha256`, where they are not as they should be.
 * @param page whether to write `index.html`; one that is there is kept up to date
 * @param kinds of media that the archive has
 */
export async function writeSums(
  archive: WritableArchive,
  reader: ArchiveReader,
  page: boolean,
  kinds: readonly MediaKind[] = MEDIA_KINDS,
): Promise<void> {
  const days: ListedDay[] = []
  for (const day of await reader.days()) {
    const sums = await sumsIn(reader, day, kinds)
    if (sums) await replace(archive, day, daySumsName(day), daySums(sums))
    days.push({ day, sums })
  }
  await replace(
    archive,
    ROOT,
    SUMS_FILE,
    days.map(({ day, sums }) => archiveSums(day, sums)).join(''),
  )
  if (page || (await bytesOf(archive.dir, ROOT, INDEX_PAGE)))
    await replace(archive, ROOT, INDEX_PAGE, indexPage(days))
}

/** Null when the manifest is damaged. */
async function sumsIn(
  reader: ArchiveReader,
  day: string,
  kinds: readonly MediaKind[],
): Promise<Sum[] | null> {
  try {
    const read = await reader.manifest(day)
    return read && sumsOfDay(read.manifest, read.bytes, kinds)
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'invalid_manifest') return null
    throw error
  }
}

async function replace(
  { dir, disk }: WritableArchive,
  folder: string,
  name: string,
  text: string,
): Promise<void> {
  const present = await bytesOf(dir, folder, name)
  if (present && Buffer.from(present).toString() === text) return
  await writeDurably(disk, dir, TEMPORARY, [Buffer.from(text)], () => join(folder, name))
}
