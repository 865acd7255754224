// Writes and parses check files (FORMAT.md 14), lists of hashes for `sha256sum -c`. Pure.
import { sha256Of } from './hash.ts'
import { type Manifest, namedFiles } from './manifest.ts'
import { MEDIA_KINDS, type MediaKind } from './media.ts'
import { keyOf, manifestName } from './paths.ts'

export interface Sum {
  name: string
  sha256: string
}

/**
 * The files of a day in the order of check files.
 * @param kinds the media kinds that the archive contains; a mirror may have fewer
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

/** The text of `<day>.sha256`. */
export function daySums(sums: readonly Sum[]): string {
  return sums.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('')
}

/** Parses the text that `daySums` writes. */
export function parseSums(text: string): Sum[] {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => ({ sha256: line.slice(0, 64), name: line.slice(66) }))
}

/**
 * The lines of a day in `SHA256SUMS`.
 * @param sums null if the day is damaged
 */
export function archiveSums(day: string, sums: readonly Sum[] | null): string {
  if (!sums) return `# ${day}: damaged\n`
  return daySums(sums.map(({ name, sha256 }) => ({ name: keyOf(day, name), sha256 })))
}
