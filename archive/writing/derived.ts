// Writes the files that are derived from the days, for plain file servers (FORMAT.md 16).
import { ArchiveError } from '../errors.ts'
import { indexPage, type ListedDay } from '../format/index-page.ts'
import { daySumsName, INDEX_PAGE, MEDIA_KINDS, type MediaKind, SUMS_FILE } from '../format/paths.ts'
import { archiveSums, daySums, type Sum, sumsOfDay } from '../format/sums.ts'
import type { Place } from '../place/place.ts'
import type { ArchiveReader } from '../reader.ts'

/**
 * Writes `SHA256SUMS` and each `<day>.sha256`, where they are not as they should be.
 * @param page whether to write `index.html`; one that is there is kept up to date
 * @param kinds of media that the archive has
 */
export async function writeSums(
  place: Place,
  reader: ArchiveReader,
  page: boolean,
  kinds: readonly MediaKind[] = MEDIA_KINDS,
): Promise<void> {
  const days: ListedDay[] = []
  for (const day of await reader.days()) {
    const sums = await sumsIn(reader, day, kinds)
    if (sums) await write(place, `${day}/${daySumsName(day)}`, daySums(sums))
    days.push({ day, sums })
  }
  const all = days.map(({ day, sums }) => archiveSums(day, sums)).join('')
  await write(place, SUMS_FILE, all)
  if (page || (await place.stat(INDEX_PAGE))) await write(place, INDEX_PAGE, indexPage(days))
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

/** Writes a file that is not as it should be. */
async function write(place: Place, key: string, text: string): Promise<void> {
  const present = await place.get(key)
  if (present && Buffer.from(present.content).toString() === text) return
  await place.put(key, Buffer.from(text))
}
