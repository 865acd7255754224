// Writes the files that are derived from the days, for plain file servers (FORMAT.md 14).
import { mapInOrder } from '../base/concurrently.ts'
import { nullIf } from '../base/errors.ts'
import { MEDIA_KINDS, type MediaKind } from '../format/media.ts'
import {
  CHECKPOINT_FILE,
  daySumsName,
  INDEX_PAGE,
  KEY_FILE,
  keyOf,
  LOG_FILE,
  parseMediaName,
  SUMS_FILE,
} from '../format/paths.ts'
import { archiveSums, daySums, type Sum, sumsOfDay } from '../format/sums.ts'
import { update, type WritablePlace } from '../place/place.ts'
import { readManifest } from '../reading/day-files.ts'
import type { ArchiveReader } from '../reading/reader.ts'

/** The files are small, but in a bucket each costs a request. */
const DAYS_AT_ONCE = 8

/**
 * Writes `SHA256SUMS` and each `<day>.sha256` that is missing or out of date.
 * @param page whether to create `index.html`; an existing one is always updated
 * @param kinds the kinds of media files that the archive has
 * @returns the names of the files that were written, in order
 */
export async function writeSums(
  place: WritablePlace,
  reader: ArchiveReader,
  page: boolean,
  kinds: readonly MediaKind[] = MEDIA_KINDS,
): Promise<string[]> {
  const days: SummedDay[] = []
  const written: string[] = []
  const write = async (key: string, text: string) => {
    if (await update(place, key, Buffer.from(text))) written.push(key)
  }
  const writeDay = async (day: string): Promise<SummedDay> => {
    const sums = await sumsIn(place, day, kinds)
    if (sums) await write(keyOf(day, daySumsName(day)), daySums(sums))
    return { day, sums }
  }
  for await (const day of mapInOrder(await reader.days(), DAYS_AT_ONCE, writeDay)) days.push(day)
  await write(SUMS_FILE, days.map(({ day, sums }) => archiveSums(day, sums)).join(''))
  if (page || (await place.stat(INDEX_PAGE))) await write(INDEX_PAGE, indexPage(days))
  return written.sort()
}

/** Returns the checksums that a day's manifest states; null when it is damaged. */
async function sumsIn(
  place: WritablePlace,
  day: string,
  kinds: readonly MediaKind[],
): Promise<Sum[] | null> {
  const file = await readManifest(place, day).catch(nullIf('invalid_manifest'))
  return file && sumsOfDay(file.manifest, file.bytes, kinds)
}

interface SummedDay {
  day: string
  /** The day's files; null if it is damaged. */
  sums: readonly Sum[] | null
}

/**
 * Renders `index.html`. Every name in it is a day, a hash or a fixed word, so nothing needs escaping.
 * @param days ascending
 */
function indexPage(days: readonly SummedDay[]): string {
  const files = [LOG_FILE, CHECKPOINT_FILE, KEY_FILE, SUMS_FILE]
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Transmissions</title>
<style>body{font:1em/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em}code{overflow-wrap:anywhere;font-size:.8em}</style>
<h1>Transmissions</h1>
<p>${days.length} days. The log of days and its keys: ${files.map((name) => link(name)).join(', ')}.
To check a copy of this folder: <code>sha256sum -c ${SUMS_FILE}</code></p>
${days.toReversed().map(section).join('')}</html>
`
}

function section({ day, sums }: SummedDay): string {
  if (!sums) return `<h2 id="${day}">${day}</h2>\n<p>This day is damaged.</p>\n`
  const items = sums.map(({ name, sha256 }) => {
    // A media file's name would repeat the hash shown next to it.
    const label = parseMediaName(name)?.kind ?? name
    return `<li>${link(keyOf(day, name), label)} <code>${sha256}</code></li>\n`
  })
  return `<h2 id="${day}">${day}</h2>\n<ul>\n${items.join('')}</ul>\n`
}

function link(path: string, label = path): string {
  return `<a href="${path}">${label}</a>`
}
