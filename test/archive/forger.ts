// Changes a day of a signed archive and seals it again, as an operator who has the key could: media, snapshot, manifest,
// the chain, the log, its checkpoint and the derived files agree with each other afterwards.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDay } from '../../archive/format/calendar.ts'
import { sha256Of } from '../../archive/format/hash.ts'
import type { Manifest, Medium } from '../../archive/format/manifest.ts'
import type { MediaKind } from '../../archive/format/media.ts'
import { manifestName, mediaName, mediaUrl, snapshotName } from '../../archive/format/paths.ts'
import { fieldsOf, type Snapshot } from '../../archive/format/snapshot.ts'
import { checkpointText } from '../../archive/log/checkpoint.ts'
import { dayLeaf, type LogEntry, logBytes, parseLog } from '../../archive/log/days.ts'
import { signNote } from '../../archive/log/note.ts'
import { rootOf } from '../../archive/log/tree.ts'
import { folderPlace } from '../../archive/place/folder.ts'
import { ArchiveReader } from '../../archive/reading/reader.ts'
import { writeSums } from '../../archive/writing/derived.ts'
import { concludeDay, encodeFrame, toHex } from '../../protocol/index.ts'
import { soundOf } from './days.ts'
import { ORIGIN, testKey } from './signing.ts'

/** What to change in a day. Snapshot and manifest are changed in place; hashes, sizes and addresses follow. */
export interface Edit {
  snapshot?: (snapshot: Snapshot) => unknown
  media?: Partial<Record<MediaKind, (bytes: Uint8Array) => Uint8Array>>
  /** The manifest, after its snapshot and media. */
  manifest?: (manifest: Manifest) => unknown
}

/** Whether the new manifest gets a leaf after the others, or takes the place of the former one in the log's history. */
export type Leaf = 'appended' | 'replaced'

/** Changes a day of an archive in a folder, and the days after it, which name its hash. */
export async function forge(dir: string, day: string, edit: Edit, leaf: Leaf): Promise<void> {
  let log = parseLog(readFileSync(join(dir, 'log')))
  let change: Edit | null = edit
  for (const one of readdirSync(dir).sort()) {
    if (!isDay(one) || one < day || !change) continue
    const sealed = resealDay(dir, one, change)
    const former = log.findLastIndex((entry) => entry.day === one)
    const entry = { day: one, sha256: sealed.manifest }
    log = leaf === 'appended' ? [...log, entry] : log.with(former, entry)
    const previous = { day: one, sha256: sealed.snapshot }
    change = sealed.isRenamed ? { snapshot: (next) => Object.assign(next, { previous }) } : null
  }
  await resign(dir, log)
}

/** Replaces the log, and signs it again. */
export async function resign(dir: string, log: readonly LogEntry[]): Promise<void> {
  const head = { origin: ORIGIN, size: log.length, root: rootOf(log.map(dayLeaf)) }
  const note = signNote(checkpointText(head), [{ name: ORIGIN, privateKey: testKey(1) }])
  write(dir, 'log', logBytes(log))
  write(dir, 'checkpoint', note)
  await writeSums(folderPlace(dir), new ArchiveReader(folderPlace(dir)), false)
}

interface Resealed {
  /** The hashes of the day's new files. */
  snapshot: string
  manifest: string
  /** Whether the hash of the snapshot, which the next day names, is another one. */
  isRenamed: boolean
}

/** Writes the changed files of a day. */
function resealDay(dir: string, day: string, edit: Edit): Resealed {
  const folder = join(dir, day)
  const before = readFileSync(join(folder, manifestName(day)))
  const manifest = JSON.parse(String(before)) as Manifest
  const { snapshot, snapshot_file, media } = manifest
  const [carried, former] = [carriedBy(snapshot), snapshot_file.sha256]
  edit.snapshot?.(snapshot)
  snapshot.conclusion = concludeDay(fieldsOf(snapshot))
  const bytes = canonical(snapshot)
  write(folder, snapshotName(day), bytes)
  Object.assign(snapshot_file, { sha256: sha256Of(bytes), bytes: bytes.length })
  const isHeard = media.wav.available && carriedBy(snapshot) !== carried
  const sound = isHeard && { wav: () => soundOf(snapshot) }
  for (const [kind, change] of Object.entries({ ...sound, ...edit.media }))
    replaceMedium(folder, day, kind as MediaKind, media[kind as MediaKind], change)
  edit.manifest?.(manifest)
  removeUnnamed(folder, manifest)
  const sealed = canonical(manifest)
  write(folder, manifestName(day), sealed)
  const isRenamed = snapshot_file.sha256 !== former
  return { snapshot: snapshot_file.sha256, manifest: sha256Of(sealed), isRenamed }
}

/** The fields that the sound carries. */
function carriedBy(snapshot: Snapshot): string {
  return toHex(encodeFrame(fieldsOf(snapshot)))
}

function replaceMedium(
  folder: string,
  day: string,
  kind: MediaKind,
  entry: Medium,
  change: (bytes: Uint8Array) => Uint8Array,
): void {
  if (!entry.available) throw new Error(`${day} has no ${kind}`)
  const bytes = change(new Uint8Array(readFileSync(join(folder, entry.filename))))
  const sha256 = sha256Of(bytes)
  const filename = mediaName(sha256, kind)
  write(folder, filename, bytes)
  Object.assign(entry, { sha256, bytes: bytes.length, filename, url: mediaUrl(day, filename) })
}

function removeUnnamed(folder: string, { media }: Manifest): void {
  const named = Object.values(media).map((entry) => (entry.available ? entry.filename : ''))
  for (const name of readdirSync(folder))
    if (/\.(wav|mp4|png)$/.test(name) && !named.includes(name)) rmSync(join(folder, name))
}

function canonical(value: object): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`)
}

/** Writes a file, also over one that is read-only. */
function write(folder: string, name: string, content: string | Uint8Array): void {
  rmSync(join(folder, name), { force: true })
  chmodSync(folder, 0o755)
  writeFileSync(join(folder, name), content)
}
