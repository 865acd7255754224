// What a mirror lacks of a day: its manifest is fetched and held against the log, its files are listed.
import { ArchiveError } from '../errors.ts'
import { MAX_JSON_BYTES } from '../format/bounds.ts'
import { sha256Of } from '../format/hash.ts'
import { type Manifest, type NamedFile, namedFiles, parseManifest } from '../format/manifest.ts'
import type { Selection } from '../format/mirror.ts'
import { manifestName, snapshotName } from '../format/paths.ts'
import { snapshotBytes } from '../format/snapshot.ts'
import type { LogEntry } from '../log/days.ts'
import { isUpgradeOf } from '../log/upgrade.ts'
import { type Client, FetchFailure } from './client.ts'
import type { MirrorFolder } from './folder.ts'
import type { Origin } from './origin.ts'

/** What the log has of a day. */
export interface LoggedDay {
  day: string
  /** The hashes of its manifests, the newest last. */
  manifests: string[]
}

/** A day that lacks something. */
export interface DayPlan {
  day: string
  /** The media to fetch. */
  missing: NamedFile[]
}

/** The origin has another manifest than its log names. */
export class OtherManifest extends Error {
  override name = 'OtherManifest'
  readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    super('is not the manifest that the log names')
    this.bytes = bytes
  }
}

/** The days of a log, ascending. */
export function loggedDays(entries: readonly LogEntry[]): LoggedDay[] {
  const days = Map.groupBy(entries, ({ day }) => day)
  return [...days]
    .map(([day, leaves]) => ({ day, manifests: leaves.map(({ sha256 }) => sha256) }))
    .sort((a, b) => (a.day < b.day ? -1 : 1))
}

export interface Planning {
  client: Client
  origin: Origin
  folder: MirrorFolder
  selection: Selection
}

/**
 * Finds what is missing of a day, and stages its manifest where something is.
 * @param isDoubtful whether the origin states another manifest than the log, which is then asked for
 * @returns null when nothing is missing
 * @throws FetchFailure; OtherManifest; ArchiveError `manifest_not_logged`, `invalid_manifest`
 */
export async function planDay(
  { client, origin, folder, selection }: Planning,
  { day, manifests }: LoggedDay,
  isDoubtful: boolean,
): Promise<DayPlan | null> {
  const name = manifestName(day)
  const due = manifests.at(-1) as string
  const held = await folder.file(day, name)
  const isHeld = held !== null && sha256Of(held) === due
  if (isDoubtful) await fetchManifest(client, origin, day, due)
  const bytes = isHeld
    ? held
    : ((await stagedManifest(folder, day, due)) ?? (await fetchManifest(client, origin, day, due)))
  const manifest = checkedManifest(day, bytes, manifests)
  const files = namedFiles(manifest)
  const missing: NamedFile[] = []
  for (const file of files)
    if (file.kind !== 'snapshot' && selection.media.includes(file.kind))
      if (!(await folder.has(day, file))) missing.push(file)
  if (isHeld && missing.length === 0 && (await hasSnapshot(folder, manifest))) return null
  await folder.stage(day, name, bytes)
  return { day, missing }
}

async function stagedManifest(folder: MirrorFolder, day: string, due: string) {
  const staged = await folder.staged(day, manifestName(day))
  return staged && sha256Of(staged) === due ? staged : null
}

/** @throws FetchFailure; OtherManifest */
async function fetchManifest(client: Client, origin: Origin, day: string, due: string) {
  const bytes = await client.read(origin.manifest(day), MAX_JSON_BYTES)
  if (sha256Of(bytes) !== due) throw new OtherManifest(bytes)
  return bytes
}

/** @throws ArchiveError */
function checkedManifest(day: string, bytes: Uint8Array, manifests: readonly string[]): Manifest {
  const manifest = parseManifest(bytes)
  if (manifest.day !== day) throw new ArchiveError('invalid_manifest', `is of ${manifest.day}`)
  const { sha256 } = manifest.snapshot_file
  if (sha256Of(snapshotBytes(manifest.snapshot)) !== sha256)
    throw new ArchiveError('invalid_manifest', 'names another hash than its snapshot has')
  for (const earlier of manifests.slice(0, -1))
    if (!isUpgradeOf(manifest, earlier))
      throw new ArchiveError(
        'manifest_not_logged',
        'replaces a manifest of which it is no upgrade, though the log names both',
      )
  return manifest
}

async function hasSnapshot(folder: MirrorFolder, manifest: Manifest): Promise<boolean> {
  const present = await folder.file(manifest.day, snapshotName(manifest.day))
  return present !== null && sha256Of(present) === manifest.snapshot_file.sha256
}

/**
 * Puts a day in place once its media are: `<day>.json`, which its manifest has whole, and last the manifest.
 * @throws ArchiveError when what is staged is not what was planned
 */
export async function publishDay(folder: MirrorFolder, day: string): Promise<void> {
  const name = manifestName(day)
  const bytes = await folder.staged(day, name)
  if (!bytes) throw new FetchFailure('missing', 'is not staged any more')
  const manifest = parseManifest(bytes)
  if (!(await hasSnapshot(folder, manifest))) {
    await folder.stage(day, snapshotName(day), snapshotBytes(manifest.snapshot))
    await folder.place(day, snapshotName(day))
  }
  await folder.place(day, name)
  await folder.removeStaging(day)
}
