// Writes the files that a run derives at its end: check files, proofs, and the index page for plain file servers.
import { writeSums } from '../archive/writing/derived.ts'
import type { DayLog } from '../archive/writing/log.ts'
import type { HasQuorum } from '../archive/writing/proofs.ts'
import type { RunArchive } from './archive.ts'

/**
 * Writes the derived files that are missing or out of date (FORMAT.md 16).
 * @param indexPage whether to create `index.html`
 * @param hasQuorum whether a checkpoint has its quorum of witnesses; absent without a policy
 * @returns the names of the files that were written
 */
export async function writeDerived(
  { place, reader, log }: Pick<RunArchive, 'place' | 'reader'> & { log: DayLog },
  indexPage: boolean,
  hasQuorum?: HasQuorum,
): Promise<string[]> {
  const proofs = await log.writeProofs(hasQuorum)
  return [...proofs, ...(await writeSums(place, reader, indexPage))]
}
