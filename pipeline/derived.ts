// What a run derives from the days at its end: check files, proofs, the page for plain file servers.
import { resolve } from 'node:path'
import { writeSums } from '../archive/writing/derived.ts'
import { realDisk } from '../archive/writing/durable.ts'
import type { Context, Pipeline } from './session.ts'

/** Writes what is missing or out of date (FORMAT.md 16). */
export async function writeDerived(
  { archiveDir, reader, log }: Pipeline,
  { indexPage = false }: Context,
): Promise<void> {
  await log.writeProofs()
  await writeSums({ dir: resolve(archiveDir), disk: realDisk }, reader, indexPage)
}
