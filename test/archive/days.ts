// Builds complete days for tests of the archive: an encoded WAV, a PNG and a minimal MP4.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PNG } from 'pngjs'
import { sha256Of } from '../../archive/format/hash.ts'
import { leavesBytes } from '../../archive/format/leaves.ts'
import {
  composeManifest,
  type Manifest,
  type Medium,
  manifestBytes,
  mediumEntry,
} from '../../archive/format/manifest.ts'
import { type ByKind, eachKind, MEDIA_KINDS, type MediaKind } from '../../archive/format/media.ts'
import { leavesName, manifestName, snapshotName } from '../../archive/format/paths.ts'
import {
  fieldsOf,
  type SealedRecords,
  type Snapshot,
  snapshotBytes,
} from '../../archive/format/snapshot.ts'
import { sealedRecordsWith } from '../../archive/log/sealed-records.ts'
import { type Hash, leafHash, rootOf } from '../../archive/log/tree.ts'
import type { ArchiveWriter } from '../../archive/writing/writer.ts'
import {
  COUNTER_NAMES,
  type DayFields,
  encodeFrame,
  encodeTransmission,
  toHex,
  writeWav,
} from '../../protocol/index.ts'

/** A day's snapshot, media and manifest, as the pipeline passes them to the writer. */
export interface Day {
  snapshot: Snapshot
  media: Record<MediaKind, Uint8Array>
  manifest: Manifest
  /** The bytes of `<day>.leaves`, if the day has them. */
  leaves?: Uint8Array
}

/**
 * A day with messages whose leaves are in the archive.
 * @param first the id of its first message
 * @param count the number of its messages
 */
export function makeDayWithLeaves(
  day: string,
  previous: Day | null,
  { first, count, seed = '' }: { first: number; count: number; seed?: string },
): Day {
  const { records, leaves } = makeMessages(first, count, seed)
  const counters = perCounter(() => (count === 0 ? '0' : '1'))
  const conclusion = count === 0 ? 'quiet' : 'active'
  const made = makeDay(day, previous, { records, counters, conclusion })
  return count === 0 ? made : { ...made, leaves }
}

/** The records of a day with so many messages, and the bytes of its leaves. */
export function makeMessages(first: number, count: number, seed = '') {
  const leaves = Array.from({ length: count }, (_, index) => ({
    id: BigInt(first + index),
    leaf: leafHash(Buffer.from(`message ${first + index}${seed}`)),
  }))
  return { records: sealedRecordsOf(leaves), leaves: leavesBytes(leaves.map(({ leaf }) => leaf)) }
}

/** The records of a day with these leaves, ascending by id. */
export function sealedRecordsOf(leaves: readonly { id: bigint; leaf: Hash }[]): SealedRecords {
  const root = rootOf(leaves.map(({ leaf }) => leaf))
  return sealedRecordsWith(
    leaves.map(({ id }) => id),
    root,
  )
}

/** The records of a day without messages. */
export const NO_RECORDS: SealedRecords = sealedRecordsOf([])

/** An active day without messages that was observed from beginning to end. */
export function makeSnapshot(day: string, changes: Partial<Snapshot> = {}): Snapshot {
  const start = Date.parse(`${day}T00:00:00.000Z`)
  const at = (ms: number) => new Date(start + ms).toISOString()
  return {
    protocol_version: 1,
    day,
    from: at(0),
    to: at(86_400_000),
    generated_at: at(86_700_000),
    counters: perCounter((index) =>
      index === 0 ? '0' : String(index * 1000 + new Date(start).getUTCDate()),
    ),
    availability: perCounter(() => true),
    coverage: { status: 'complete', observed_seconds: 86_400, reasons: [] },
    clock: { status: 'ok' },
    conclusion: 'active',
    previous: null,
    records: NO_RECORDS,
    ...changes,
  }
}

export function perCounter<T>(
  value: (index: number) => T,
): Record<(typeof COUNTER_NAMES)[number], T> {
  const entries = COUNTER_NAMES.map((name, index) => [name, value(index)] as const)
  return Object.fromEntries(entries) as Record<(typeof COUNTER_NAMES)[number], T>
}

/** A day with all its media. @param previous its predecessor in the chain */
export function makeDay(day: string, previous: Day | null, changes: Partial<Snapshot> = {}): Day {
  const link = previous && {
    day: previous.snapshot.day,
    sha256: sha256Of(snapshotBytes(previous.snapshot)),
  }
  const snapshot = makeSnapshot(day, { previous: link, ...changes })
  const media = {
    wav: soundOf(snapshot),
    mp4: video(64, 36, 729, 25),
    png: picture(64, 36, Number(day.slice(8))),
  }
  return { snapshot, media, manifest: makeManifest(snapshot, media) }
}

/** The properties of test media of each kind. */
export const PROPERTIES = {
  wav: { duration_seconds: 29.14 },
  mp4: { duration_seconds: 29.16, width: 64, height: 36 },
  png: { width: 64, height: 36 },
}

/** @param media the bytes of the media that are available */
export function makeManifest(snapshot: Snapshot, media: ByKind<Uint8Array>): Manifest {
  const entries = eachKind((kind): Medium => {
    const bytes = media[kind]
    if (!bytes) return { available: false, reason: 'render_failed' }
    const file = { sha256: sha256Of(bytes), bytes: bytes.length }
    return mediumEntry(snapshot.day, kind, file, PROPERTIES[kind])
  })
  const tools = { renderer: '1', node: '24.21.0', sharp: '0.35.5', ffmpeg: '5.1.9' }
  return composeManifest(snapshot, entries, tools)
}

/** A day whose film could not be rendered, with the film as it may become available later. */
export const withoutFilm = (day: Day): Day => ({
  ...day,
  manifest: makeManifest(day.snapshot, { ...day.media, mp4: undefined }),
})

/** Publishes a day through a writer, as the pipeline does. */
export async function publish(writer: ArchiveWriter, { snapshot, media, manifest, leaves }: Day) {
  if (leaves) await writer.putLeaves(snapshot, leaves)
  await writer.fixSnapshot(snapshot)
  for (const kind of MEDIA_KINDS)
    if (manifest.media[kind].available) await writer.putMedium(snapshot.day, kind, media[kind])
  await writer.seal(manifest)
}

/** Writes a day's files directly, without a writer. */
export function writeDay(dir: string, { snapshot, media, manifest, leaves }: Day): void {
  const { day } = snapshot
  const folder = join(dir, day)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, snapshotName(day)), snapshotBytes(snapshot))
  writeFileSync(join(folder, manifestName(day)), manifestBytes(manifest))
  if (leaves) writeFileSync(join(folder, leavesName(day)), leaves)
  for (const kind of MEDIA_KINDS) {
    const medium = manifest.media[kind]
    if (medium.available) writeFileSync(join(folder, medium.filename), media[kind])
  }
}

/** The name of a media file of a day. */
export function filenameOf({ manifest }: Day, kind: MediaKind): string {
  const medium = manifest.media[kind]
  if (!medium.available) throw new Error(`${manifest.day} has no ${kind}`)
  return medium.filename
}

/** The sample rate of test WAVs [Hz], a sixth of the pipeline's, because tests copy, hash and decode many of them. */
export const SAMPLE_RATE = 8000

const sounds = new Map<string, Uint8Array>()

/** The WAV of a day. It is encoded once per worker and shared, so it must not be modified. */
export function soundOf(snapshot: Snapshot): Uint8Array {
  const fields = fieldsOf(snapshot)
  const key = toHex(encodeFrame(fields))
  const sound = sounds.get(key) ?? makeSound(fields)
  sounds.set(key, sound)
  return sound
}

function makeSound(fields: DayFields): Uint8Array {
  // The signal ends at 2.7 kHz, so decimation needs no filter.
  const samples = encodeTransmission(fields)
  const every6th = Int16Array.from({ length: samples.length / 6 }, (_, i) => samples[6 * i]!)
  return writeWav(every6th, SAMPLE_RATE)
}

export function picture(width: number, height: number, shade: number): Uint8Array {
  const png = new PNG({ width, height })
  png.data.fill(shade)
  return new Uint8Array(PNG.sync.write(png))
}

/** An MP4 with the boxes that describe its tracks, but without samples. */
export function video(
  width: number,
  height: number,
  frames: number,
  framesPerSecond: number,
): Uint8Array {
  const zeros = (count: number) => Buffer.alloc(count)
  const u32 = (...numbers: number[]) => Buffer.from(Uint32Array.from(numbers).buffer).swap32()
  const box = (type: string, ...content: Buffer[]): Buffer => {
    const body = Buffer.concat(content)
    return Buffer.concat([u32(body.length + 8), Buffer.from(type), body])
  }
  const track = (handler: string, w: number, h: number) =>
    box(
      'trak',
      box('tkhd', zeros(76), u32(w * 65_536, h * 65_536)),
      box(
        'mdia',
        box('mdhd', zeros(12), u32(framesPerSecond, frames), zeros(4)),
        box('hdlr', zeros(8), Buffer.from(handler), zeros(12)),
      ),
    )
  const sound = track('soun', 0, 0)
  const movie = box('moov', box('mvhd', zeros(100)), sound, track('vide', width, height))
  return new Uint8Array(Buffer.concat([box('ftyp', Buffer.from('isom'), zeros(4)), movie]))
}
