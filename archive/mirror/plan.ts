// Plans a day of a mirror: checks its manifest against the log, lists the missing files, and reports faults of the source.
import { ArchiveError, isArchiveError } from '../base/errors.ts'
import { sha256Of } from '../format/hash.ts'
import {
  faultInManifest,
  type Manifest,
  type NamedFile,
  namedFiles,
  parseManifest,
} from '../format/manifest.ts'
import type { Selection } from '../format/mirror.ts'
import {
  keyOf,
  manifestKey,
  SUMS_FILE,
  snapshotKey,
  splitKey,
  stagingFolder,
} from '../format/paths.ts'
import { snapshotBytes } from '../format/snapshot.ts'
import { parseSums } from '../format/sums.ts'
import { FetchFailure } from '../http/failure.ts'
import { type Leaf, type LogEntry, leavesByDay } from '../log/days.ts'
import { faultInLeaves } from '../log/upgrade.ts'
import type { FolderPlace } from '../place/folder.ts'
import { readUsable, textOf, update } from '../place/place.ts'
import { fetched, type ServedPlace } from '../place/served.ts'
import { type Finding, findingFor } from '../verify/findings.ts'
import { lacksLeaves } from './day-leaves.ts'
import { keepRefused, stagedKey } from './folder.ts'

/** The origin's manifest is not the one that its log names. */
export class OtherManifest extends Error {
  override name = 'OtherManifest'
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    super('is not the manifest that the log names')
    this.bytes = bytes
  }
}

/** The days of a log, ascending, each with its leaves, oldest first. */
export function loggedDays(entries: readonly LogEntry[]) {
  return [...leavesByDay(entries)]
    .map(([day, leaves]) => ({ day, leaves }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

/** A day in the log. */
export type LoggedDay = ReturnType<typeof loggedDays>[number]

/** The days for which the origin's check file names another manifest than its log. */
export async function doubtfulDays(
  origin: ServedPlace,
  days: readonly LoggedDay[],
): Promise<Set<string>> {
  const sums = await origin.read(SUMS_FILE)
  // A plain folder need not have one.
  if ('problem' in sums && sums.problem.code === 'missing') return new Set()
  const lines = parseSums(textOf(fetched(sums)))
  const stated = new Map(lines.map(({ name, sha256 }) => [name, sha256]))
  const differing = days.filter(({ day, leaves }) => {
    const sha256 = stated.get(manifestKey(day))
    return sha256 !== undefined && sha256 !== leaves.at(-1)?.sha256
  })
  return new Set(differing.map(({ day }) => day))
}

export interface PlanContext {
  origin: ServedPlace
  mirror: FolderPlace
  selection: Selection
}

/**
 * Finds the missing files of a day, and stages its manifest if there are any.
 * @param isDoubtful the origin's check file names another manifest than its log, so fetch and compare the manifest
 * @returns null if the day is complete
 * @throws FetchFailure, OtherManifest
 * @throws ArchiveError `manifest_not_logged`, `invalid_manifest`
 */
export async function planDay(
  { origin, mirror, selection }: PlanContext,
  { day, leaves }: LoggedDay,
  isDoubtful: boolean,
) {
  const newest = (leaves.at(-1) as Leaf).sha256
  const present = await readUsable(mirror, manifestKey(day))
  const isCurrent = present !== null && sha256Of(present.content) === newest
  if (isDoubtful) await fetchManifest(origin, day, newest)
  const bytes = isCurrent
    ? present.content
    : ((await stagedManifest(mirror, day, newest)) ?? (await fetchManifest(origin, day, newest)))
  const manifest = checkedManifest(day, bytes, leaves)
  const missing: NamedFile[] = []
  for (const file of namedFiles(manifest)) {
    if (file.kind === 'snapshot' || !selection.media.includes(file.kind)) continue
    // The size suffices, since a media file gets its name only after its hash was verified.
    if ((await mirror.stat(keyOf(day, file.name)))?.bytes !== file.bytes) missing.push(file)
  }
  const { records } = manifest.snapshot
  const isIntact =
    (await hasSnapshot(mirror, manifest)) && !(await lacksLeaves(mirror, day, records))
  if (isCurrent && missing.length === 0 && isIntact) return null
  await update(mirror, stagedKey(day), bytes)
  return { day, missing, records }
}

/** A day that is incomplete in the mirror: the media files to download, and the records, whose leaves may be missing. */
export type DayPlan = NonNullable<Awaited<ReturnType<typeof planDay>>>

async function stagedManifest(mirror: FolderPlace, day: string, sha256: string) {
  const staged = await readUsable(mirror, stagedKey(day))
  return staged && sha256Of(staged.content) === sha256 ? staged.content : null
}

/** @throws FetchFailure, OtherManifest */
async function fetchManifest(origin: ServedPlace, day: string, sha256: string) {
  const { content: bytes } = fetched(await origin.read(manifestKey(day)))
  if (sha256Of(bytes) !== sha256) throw new OtherManifest(bytes)
  return bytes
}

/** @throws ArchiveError `invalid_manifest`, `manifest_not_logged` */
function checkedManifest(day: string, bytes: Uint8Array, leaves: readonly Leaf[]): Manifest {
  const manifest = parseManifest(bytes)
  const fault = faultInManifest(manifest, day)
  if (fault) throw new ArchiveError('invalid_manifest', fault)
  const unlogged = faultInLeaves(manifest, leaves)
  if (unlogged) throw new ArchiveError('manifest_not_logged', unlogged)
  return manifest
}

async function hasSnapshot(mirror: FolderPlace, manifest: Manifest): Promise<boolean> {
  const present = await readUsable(mirror, snapshotKey(manifest.day))
  return present !== null && sha256Of(present.content) === manifest.snapshot_file.sha256
}

/**
 * Publishes a day once its media are in place: first `<day>.json`, which the manifest embeds, then the manifest.
 * @throws FetchFailure if the staged manifest is gone
 */
export async function publishDay(mirror: FolderPlace, day: string): Promise<void> {
  const staged = await readUsable(mirror, stagedKey(day))
  if (!staged) throw new FetchFailure('missing', 'is no longer staged')
  const manifest = parseManifest(staged.content)
  if (!(await hasSnapshot(mirror, manifest)))
    await mirror.put(snapshotKey(day), snapshotBytes(manifest.snapshot))
  // Moved, not copied: a kill before the next step leaves nothing that no later run would remove.
  await mirror.moveIn(mirror.pathOf(stagedKey(day)), manifestKey(day))
  await mirror.remove(stagingFolder(day))
}

/** An error caused by the origin: it is reported, and the run continues. */
export type OriginError = OtherManifest | FetchFailure | ArchiveError

/** Whether the source has caused an error. */
export function isOriginError(error: unknown): error is OriginError {
  if (error instanceof OtherManifest || error instanceof FetchFailure) return true
  return isArchiveError(error, 'manifest_not_logged', 'invalid_manifest', 'conflict')
}

/** Reports a failed file. A manifest that contradicts the log is kept as evidence. */
export async function findingOf(
  mirror: FolderPlace,
  file: string,
  error: OriginError,
): Promise<Finding> {
  if (error instanceof OtherManifest) {
    const [, name] = splitKey(file)
    const kept = await keepRefused(mirror, name, error.bytes)
    const message = `${error.message}; it is kept as ${kept}`
    return { code: 'manifest_not_logged', file, message }
  }
  return findingFor(file, error)
}
