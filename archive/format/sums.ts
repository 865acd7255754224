// Check files (FORMAT.md 16): the hashes of files in the form that sha256sum reads. Pure.
import { sha256Of } from './hash.ts'
import { type Manifest, namedFiles } from './manifest.ts'
import { MEDIA_KINDS, type MediaKind, manifestName } from './paths.ts'

/** A file and its SHA-256. */
export interface Sum {
  name: string
  sha256: string
}

/**
 * The files of a day, in the order in which check files name them.
 * @param kinds of media that the archive has; a mirror may have fewer
 */
export function sumsOfDay(
  manifest: Manifest,
  manifestFile: Uint8Array,
  kinds: readonly MediaKind[] = MEDIA_KINDS,
): Sum[] {
  const files = namedFiles(manifest)
  const ofKind = (kind: string) => files.filter((file) => file.kind === kind)
  return [
    ...ofKind('snapshot'),
    { name: manifestName(manifest.day), sha256: sha256Of(manifestFile) },
    ...kinds.flatMap(ofKind),
  ]
}

/** `<day>.sha256`, for a folder with the day's files. */
export function daySums(sums: readonly Sum[]): string {
  return sums.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
}

/** The sums that `daySums` has written. */
export function parseSums(text: string): Sum[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => ({ sha256: line.slice(0, 64), name: line.slice(66) }))
}

/**
 * The part of `SHA256SUMS` that is of a day.
 * @param sums null when the day is damaged
 */
export function archiveSums(day: string, sums: readonly Sum[] | null): string {
  if (!sums) return `# ${day}: damaged\n`
  return daySums(sums.map(({ name, sha256 }) => ({ name: `${day}/${name}`, sha256 })))
}
