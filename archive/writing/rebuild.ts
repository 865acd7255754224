// Makes a lost or damaged manifest again from the files that it named. The record of seals proves it.
import { sha256Of } from '../format/hash.ts'
import {
  composeManifest,
  type Manifest,
  type Medium,
  manifestBytes,
  mediumEntry,
  type Tools,
} from '../format/manifest.ts'
import {
  MEDIA_KINDS,
  type MediaKind,
  parseMediaName,
  parseSealName,
  SEALS_FOLDER,
} from '../format/paths.ts'
import { factsOf } from '../verify/facts.ts'
import { fileIn, namesIn, readSnapshot, type WritableArchive } from './staging.ts'

/**
 * The manifest of a day as it was published, made again from `<day>.json` and the media that are there.
 * @param tools what the day may have been rendered with: nothing else tells
 * @returns null when none that can be made has its hash on record
 * @throws ArchiveError `invalid_snapshot`
 */
export async function provenManifest(
  archive: WritableArchive,
  day: string,
  tools: readonly Tools[],
): Promise<Manifest | null> {
  const snapshot = await readSnapshot(archive, day, day)
  const seals = (await namesIn(archive, SEALS_FOLDER))
    .map(parseSealName)
    .filter((seal) => seal?.day === day)
  if (!snapshot || seals.length === 0) return null
  const { wav: wavs, mp4: mp4s, png: pngs } = await mediaIn(archive, day)
  for (const wav of wavs)
    for (const mp4 of mp4s)
      for (const png of pngs)
        for (const rendered_with of tools) {
          const manifest = composeManifest(snapshot, { wav, mp4, png }, rendered_with)
          const sha256 = sha256Of(manifestBytes(manifest))
          if (seals.some((seal) => seal?.sha256 === sha256)) return manifest
        }
  return null
}

/** What a manifest may have said of each kind: the files that are whole, or else why there is none. */
async function mediaIn(
  archive: WritableArchive,
  day: string,
): Promise<Record<MediaKind, Medium[]>> {
  const media: Record<MediaKind, Medium[]> = { wav: [], mp4: [], png: [] }
  for (const filename of await namesIn(archive, day)) {
    const name = parseMediaName(filename)
    const bytes = name && (await fileIn(archive, `${day}/${filename}`))
    const facts = bytes && factsOf(name.kind, bytes)
    if (!facts || sha256Of(bytes) !== name.sha256) continue
    const digest = { sha256: name.sha256, bytes: bytes.length }
    media[name.kind].push(mediumEntry(day, name.kind, digest, facts))
  }
  for (const kind of MEDIA_KINDS)
    if (media[kind].length === 0)
      for (const reason of ['ffmpeg_not_found', 'render_failed'] as const)
        media[kind].push({ available: false, reason })
  return media
}
