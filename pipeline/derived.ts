// Writes the files that a run derives at its end: check files, proofs, and the index page for plain file servers.
import { writeSums } from '../archive/writing/derived.ts'
import { KnownFiles } from '../archive/writing/known-files.ts'
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
  { place, reader, memory, log }: Pick<RunArchive, 'place' | 'reader' | 'memory'> & { log: DayLog },
  indexPage: boolean,
  hasQuorum?: HasQuorum,
): Promise<string[]> {
  const known = await KnownFiles.in(place, memory)
  const proofs = await log.writeProofs(known, hasQuorum)
  return [...proofs, ...(await writeSums(place, reader, indexPage, { known }))]
}
