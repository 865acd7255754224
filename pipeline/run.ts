// One day from top to bottom. Every stage can be repeated: a run that was killed at any moment is
// completed by the next one, with the bytes that it had fixed (decisions.md 9.11).
import { manifestName } from '../archive/format/paths.ts'
import type { Snapshot } from '../archive/format/snapshot.ts'
import type { ArchiveReader } from '../archive/reader.ts'
import { publishDay } from './publish.ts'
import { restoreManifest } from './repair.ts'
import type { DayOutcome, Pipeline } from './session.ts'
import { letDaySettle } from './settle.ts'
import { type Previous, takeSnapshot } from './snapshot.ts'

/**
 * Makes a day that has ended, unless the archive has it.
 * @throws when it could not be made; the archive is then as it was, and the next run tries again
 */
export async function makeDay(pipeline: Pipeline, day: string): Promise<DayOutcome> {
  const { reader, signal, onProgress } = pipeline
  signal.throwIfAborted()
  const archived = await reader.days()
  if (archived.includes(day)) return { day, status: 'present' }
  // Lost, a manifest is proven from what is there; rendered anew, the day might lose its video.
  const fixed = await pipeline.writer.fixedSnapshot(day)
  if (fixed?.inPlace && (await restoreManifest(pipeline, day)))
    return { day, status: 'repaired', message: manifestName(day) }

  onProgress(day, 'snapshot', 0)
  await letDaySettle(pipeline.store, day, pipeline.now(), signal)
  const previous = await previousOf(reader, archived, day)
  const { snapshot, notes } = await fixSnapshot(pipeline, day, previous)
  notes.push(...(await publishDay(pipeline, snapshot)))
  return { day, status: 'published', ...(notes.length > 0 && { message: notes.join('; ') }) }
}

/** The latest earlier archived day, with the hash under which its `<day>.json` was published. */
async function previousOf(
  reader: ArchiveReader,
  archived: string[],
  day: string,
): Promise<Previous> {
  const earlier = archived.filter((other) => other < day).at(-1)
  if (earlier === undefined) return null
  const read = await reader.manifest(earlier).catch((error: Error) => {
    const message = `cannot name ${earlier} as its predecessor: ${error.message}`
    throw new Error(message, { cause: error })
  })
  return read && { day: earlier, sha256: read.manifest.snapshot_file.sha256 }
}

/**
 * The snapshot that an interrupted run had fixed, or else one taken now and fixed: from here on a
 * kill changes nothing of what the day says. One that is only staged is taken again when an earlier
 * day was published meanwhile, since it would name a wrong predecessor.
 */
async function fixSnapshot(
  { store, writer, now }: Pipeline,
  day: string,
  previous: Previous,
): Promise<{ snapshot: Snapshot; notes: string[] }> {
  const fixed = await writer.fixedSnapshot(day)
  // One in the day's folder may have been named by a later day already.
  if (fixed && (fixed.inPlace || fixed.snapshot.previous?.sha256 === previous?.sha256))
    return { snapshot: fixed.snapshot, notes: [] }
  if (fixed) await writer.discard(day)
  const { snapshot, failures } = await takeSnapshot(store, day, previous, now())
  await writer.stageSnapshot(snapshot)
  return {
    snapshot,
    notes: failures.map(({ counters, message }) => `no ${counters.join(', ')}: ${message}`),
  }
}
