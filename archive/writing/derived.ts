// Writes the files that are derived from the days, for plain file servers (FORMAT.md 16).
import { isArchiveError } from '../errors.ts'
import { sha256Of } from '../format/hash.ts'
import { indexPage, type ListedDay } from '../format/index-page.ts'
import { MEDIA_KINDS, type MediaKind } from '../format/media.ts'
import { daySumsName, INDEX_PAGE, keyOf, manifestKey, SUMS_FILE } from '../format/paths.ts'
import { archiveSums, daySums, type Sum, sumsOfDay } from '../format/sums.ts'
import { update, type WritablePlace } from '../place/place.ts'
import { manifestOf } from '../reading/day-files.ts'
import type { ArchiveReader } from '../reading/reader.ts'
import { KnownFiles } from './known-files.ts'

/**
 * Writes `SHA256SUMS` and each `<day>.sha256` that is missing or out of date.
 * @param page whether to create `index.html`; an existing one is always updated
 * @param options.known files that need not be read
 * @param options.kinds the kinds of media files that the archive has
 * @returns the names of the files that were written
 */
export async function writeSums(
  place: WritablePlace,
  reader: ArchiveReader,
  page: boolean,
  {
    known = KnownFiles.none,
    kinds = MEDIA_KINDS,
  }: { known?: KnownFiles; kinds?: readonly MediaKind[] } = {},
): Promise<string[]> {
  const days: ListedDay[] = []
  const written: string[] = []
  for (const day of await reader.days()) {
    const sums = known.sums(day) ?? (await sumsIn(place, day, known, kinds))
    if (sums && !(await writeDaySums(place, day, daySums(sums), known)))
      written.push(keyOf(day, daySumsName(day)))
    days.push({ day, sums })
  }
  const all = days.map(({ day, sums }) => archiveSums(day, sums)).join('')
  if (!(await update(place, SUMS_FILE, Buffer.from(all)))) written.push(SUMS_FILE)
  const isWanted = page || (await place.stat(INDEX_PAGE)) !== null
  if (isWanted && !(await update(place, INDEX_PAGE, Buffer.from(indexPage(days)))))
    written.push(INDEX_PAGE)
  return written
}

/** Returns the checksums that a day's manifest states; null when it is damaged. */
async function sumsIn(
  place: WritablePlace,
  day: string,
  known: KnownFiles,
  kinds: readonly MediaKind[],
): Promise<Sum[] | null> {
  const key = manifestKey(day)
  const file = await place.get(key)
  if (!file) return null
  try {
    const { manifest, bytes } = manifestOf(file.content, key, day)
    const sums = sumsOfDay(manifest, bytes, kinds)
    known.noteSums(day, file, sums)
    return sums
  } catch (error) {
    if (isArchiveError(error, 'invalid_manifest')) return null
    throw error
  }
}

/** @returns whether the file was already up to date */
async function writeDaySums(
  place: WritablePlace,
  day: string,
  text: string,
  known: KnownFiles,
): Promise<boolean> {
  const key = keyOf(day, daySumsName(day))
  const fact = sha256Of(text)
  if (known.fact(key) === fact) return true
  const upToDate = await update(place, key, Buffer.from(text))
  if (upToDate) known.note(key, upToDate, fact)
  return upToDate !== null
}
