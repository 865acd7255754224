// What a run derives from the days at its end: check files, proofs, the page for plain file servers.
import type { Place } from '../archive/place/place.ts'
import type { ArchiveReader } from '../archive/reader.ts'
import { writeSums } from '../archive/writing/derived.ts'
import type { DayLog } from '../archive/writing/log.ts'

/**
 * Writes what is missing or out of date (FORMAT.md 16).
 * @param indexPage whether to write the page that a plain file server shows
 */
export async function writeDerived(
  { place, reader, log }: { place: Place; reader: ArchiveReader; log: DayLog },
  indexPage: boolean,
): Promise<void> {
  await log.writeProofs()
  await writeSums(place, reader, indexPage)
}
