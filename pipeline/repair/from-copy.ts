// Restores missing or damaged files from another archive of the same days (WRITING.md 2.5). Each must have a
// hash that is proven by this archive, so the copy need not be trusted.
import { type ArchiveErrorCode, isArchiveError, nullIf } from '../../archive/base/errors.ts'
import { MAX_JSON_BYTES } from '../../archive/format/bounds.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import { type Manifest, namedFiles } from '../../archive/format/manifest.ts'
import { keyOf, manifestName, snapshotName } from '../../archive/format/paths.ts'
import { isUpgradeOf } from '../../archive/log/upgrade.ts'
import type { Place } from '../../archive/place/place.ts'
import { readUsable } from '../../archive/place/place.ts'
import { readCopy } from '../run/copy.ts'
import type { Run } from '../run/session.ts'
import { copyLeaves } from '../sealing/keep-leaves.ts'

/** The names of the files restored from a copy, and messages about those that it could not provide. */
export interface Restored {
  names: string[]
  /** About files that have other bytes, or could not be read. */
  problems: string[]
}

/** A file whose hash this archive proves. */
interface ProvenFile {
  name: string
  sha256: string
}

/** Restores the missing or damaged files of a day that the copy has. The caller rebuilds the others. */
export async function restoreFromCopy(run: Run, copy: Place, day: string): Promise<Restored> {
  const restored: Restored = { names: [], problems: [] }
  const take = (file: ProvenFile, limit: number) => takeFile(run, copy, day, file, limit, restored)
  if (!(await intactManifest(run, day))) {
    const leaf = run.log.leafOf(day)
    const name = manifestName(day)
    if (leaf) await take({ name, sha256: leaf.sha256 }, MAX_JSON_BYTES)
  }
  const manifest = await intactManifest(run, day)
  const snapshot = manifest?.snapshot_file.sha256 ?? (await namedByNext(run, day))
  const missing = manifest ? namedFiles(manifest) : []
  for (const { name, sha256, bytes } of missing) await take({ name, sha256 }, bytes)
  if (!manifest && snapshot)
    await take({ name: snapshotName(day), sha256: snapshot }, MAX_JSON_BYTES)
  if (manifest) await takeLeaves(run, copy, manifest, restored)
  return restored
}

/** The leaves have no hash of their own: they are those of the manifest's snapshot, or other bytes. */
async function takeLeaves(
  run: Run,
  copy: Place,
  { snapshot }: Manifest,
  restored: Restored,
): Promise<void> {
  try {
    const name = await copyLeaves(run, copy, snapshot)
    if (name) restored.names.push(name)
  } catch (error) {
    if (!isArchiveError(error, 'leaves_differ', 'archive_unavailable')) throw error
    restored.problems.push(error.message)
  }
}

async function takeFile(
  { archive: { place, writer }, signal }: Run,
  copy: Place,
  day: string,
  file: ProvenFile,
  limit: number,
  restored: Restored,
): Promise<void> {
  signal.throwIfAborted()
  const key = keyOf(day, file.name)
  const present = await readUsable(place, key)
  if (present && sha256Of(present.content) === file.sha256) return
  /** Notes why the copy cannot provide this file, so that the others are still restored. */
  const noteProblem = (code: ArchiveErrorCode) => (error: unknown) => {
    if (!isArchiveError(error, code)) throw error
    restored.problems.push(error.message)
    return null
  }
  const bytes = await readCopy(copy, key, limit).catch(noteProblem('archive_unavailable'))
  if (!bytes) return
  const name = await writer
    .restoreFile(day, file.name, bytes, file.sha256)
    .then(() => file.name, noteProblem('repair_mismatch'))
  if (name !== null) restored.names.push(name)
}

/** Reads the manifest of a day; null when it is missing, damaged, or neither the logged one nor an upgrade of it. */
async function intactManifest(
  { archive: { reader }, log }: Run,
  day: string,
): Promise<Manifest | null> {
  const read = await reader.manifest(day).catch(nullIf('invalid_manifest'))
  const leaf = log.leafOf(day)
  if (!read || !leaf || sha256Of(read.bytes) === leaf.sha256) return read?.manifest ?? null
  return isUpgradeOf(read.manifest, leaf.sha256) ? read.manifest : null
}

/** Returns the hash of a day's `<day>.json` that the next archived day names, or null. */
async function namedByNext(run: Run, day: string): Promise<string | null> {
  const next = (await run.archive.reader.days()).find((other) => other > day)
  const previous = next && (await intactManifest(run, next))?.snapshot.previous
  return previous && previous.day === day ? previous.sha256 : null
}
