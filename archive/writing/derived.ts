// Writes the files that are derived from the days, for plain file servers (FORMAT.md 16).
import { ArchiveError } from '../errors.ts'
import { manifestOf } from '../files.ts'
import { sha256Of } from '../format/hash.ts'
import { indexPage, type ListedDay } from '../format/index-page.ts'
import {
  daySumsName,
  INDEX_PAGE,
  MEDIA_KINDS,
  type MediaKind,
  manifestKey,
  SUMS_FILE,
} from '../format/paths.ts'
import { archiveSums, daySums, type Sum, sumsOfDay } from '../format/sums.ts'
import { type Place, type ReadFile, textOf } from '../place/place.ts'
import type { ArchiveReader } from '../reader.ts'
import { KnownFiles } from './known-files.ts'

/**
 * Writes `SHA256SUMS` and each `<day>.sha256`, where they are not as they should be.
 * @param page whether to write `index.html`; one that is there is kept up to date
 * @param options.known files that need not be read
 * @param options.kinds of media that the archive has
 * @returns the names of the files that were written
 */
export async function writeSums(
  place: Place,
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
      written.push(`${day}/${daySumsName(day)}`)
    days.push({ day, sums })
  }
  const all = days.map(({ day, sums }) => archiveSums(day, sums)).join('')
  if (!(await write(place, SUMS_FILE, all))) written.push(SUMS_FILE)
  const isWanted = page || (await place.stat(INDEX_PAGE)) !== null
  if (isWanted && !(await write(place, INDEX_PAGE, indexPage(days)))) written.push(INDEX_PAGE)
  return written
}

/** Null when the manifest is damaged. */
async function sumsIn(
  place: Place,
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
    if (error instanceof ArchiveError && error.code === 'invalid_manifest') return null
    throw error
  }
}

/** @returns whether the file was as it should be before */
async function writeDaySums(
  place: Place,
  day: string,
  text: string,
  known: KnownFiles,
): Promise<boolean> {
  const key = `${day}/${daySumsName(day)}`
  const fact = sha256Of(Buffer.from(text))
  if (known.fact(key) === fact) return true
  const asItShouldBe = await write(place, key, text)
  if (asItShouldBe) known.note(key, asItShouldBe, fact)
  return asItShouldBe !== null
}

/** Writes a file that is not as it should be. @returns the one that is; null when it was written now */
async function write(place: Place, key: string, text: string): Promise<ReadFile | null> {
  const present = await place.get(key)
  if (present && textOf(present) === text) return present
  await place.put(key, Buffer.from(text))
  return null
}
