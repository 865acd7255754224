// Days, SHA-256 and kinds <-> the names of files and their public addresses. The only place that
// builds or reads a path; pure. Every parser refuses each spelling but the canonical one.

export const MEDIA_KINDS = ['wav', 'mp4', 'png'] as const
export type MediaKind = (typeof MEDIA_KINDS)[number]

/** How files of a kind are named and served. */
interface StorageClass {
  readonly contentType: string
  /** What follows the first dot of the name. */
  readonly extension: string
  /**
   * `immutable`: named by its hash, so that the address never has other bytes (API.md 9.5).
   * `revalidate`: named by its day, which another archive has too: asked for again by its ETag.
   */
  readonly cache: 'immutable' | 'revalidate'
}

export const KINDS: Readonly<Record<'snapshot' | 'manifest' | MediaKind, StorageClass>> = {
  snapshot: { contentType: 'application/json', extension: 'json', cache: 'revalidate' },
  manifest: { contentType: 'application/json', extension: 'manifest.json', cache: 'revalidate' },
  wav: { contentType: 'audio/wav', extension: 'wav', cache: 'immutable' },
  mp4: { contentType: 'video/mp4', extension: 'mp4', cache: 'immutable' },
  png: { contentType: 'image/png', extension: 'png', cache: 'immutable' },
}

/** The content type of a file of an archive, by its name. */
export function contentTypeOf(name: string): string {
  if (name.endsWith('.html')) return 'text/html; charset=utf-8'
  const kind = Object.values(KINDS).find(({ extension }) => name.endsWith(`.${extension}`))
  return kind?.contentType ?? 'text/plain; charset=utf-8'
}

const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/
const SHA256 = /^[0-9a-f]{64}$/
const MS_PER_DAY = 86_400_000

/** Whether the text is a real date, spelled `YYYY-MM-DD`. */
export function isDay(text: string): boolean {
  if (!DAY.test(text)) return false
  const instant = new Date(`${text}T00:00:00.000Z`)
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(text)
}

/** Whether the text is a SHA-256 as 64 lowercase hex digits. */
export function isSha256(text: string): boolean {
  return SHA256.test(text)
}

/** The day's first instant, ms since the epoch. */
export function dayStart(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`)
}

/** The UTC day of an instant in ms since the epoch. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function nextDay(day: string): string {
  return dayOf(dayStart(day) + MS_PER_DAY)
}

export function previousDay(day: string): string {
  return dayOf(dayStart(day) - MS_PER_DAY)
}

/** From the first instant of a day to that of the next, which is not included [ms since 1970]. */
export function daySpan(day: string): { from: number; to: number } {
  return { from: dayStart(day), to: dayStart(nextDay(day)) }
}

export function snapshotName(day: string): string {
  return `${day}.${KINDS.snapshot.extension}`
}

export function manifestName(day: string): string {
  return `${day}.${KINDS.manifest.extension}`
}

/** The key of `<day>.json`: its path from the archive's folder. */
export function snapshotKey(day: string): string {
  return `${day}/${snapshotName(day)}`
}

export function manifestKey(day: string): string {
  return `${day}/${manifestName(day)}`
}

export function mediaName(sha256: string, kind: MediaKind): string {
  return `${sha256}.${KINDS[kind].extension}`
}

/** The hash and kind in a medium's file name, or null. */
export function parseMediaName(name: string): { sha256: string; kind: MediaKind } | null {
  const sha256 = name.slice(0, 64)
  if (!isSha256(sha256)) return null
  const kind = MEDIA_KINDS.find((candidate) => name === mediaName(sha256, candidate))
  return kind ? { sha256, kind } : null
}

/** The list of all days; every other address of the archive but those of media is below it. */
export const ARCHIVE_URL = '/transmissions'
export const INDEX_JSON_URL = `${ARCHIVE_URL}/index.json`
export const INDEX_CSV_URL = `${ARCHIVE_URL}/index.csv`
/** What is new in the archive, for feed readers. */
export const ARCHIVE_FEED_URL = `${ARCHIVE_URL}/feed.atom`
/** The newest day's snapshot. */
export const LATEST_URL = `${ARCHIVE_URL}/latest.json`
/** Leads to the newest day's page. */
export const LATEST_DAY_URL = `${ARCHIVE_URL}/latest`
/** The newest day's tones as a picture, for the header of pages that know no day. */
export const LATEST_STRIP_URL = `${ARCHIVE_URL}/latest.svg`
/** The page of the protocol. */
export const PROTOCOL_URL = `${ARCHIVE_URL}/protocol`
/** The page that decodes recordings. */
export const DECODER_URL = `${ARCHIVE_URL}/decode`

// The addresses of a day and its files. A router's parameter for the day (`:day`) gives its route.

/** A day's page. */
export function dayUrl(day: string): string {
  return `${ARCHIVE_URL}/${day}`
}

export function snapshotUrl(day: string): string {
  return `${ARCHIVE_URL}/${snapshotName(day)}`
}

export function manifestUrl(day: string): string {
  return `${ARCHIVE_URL}/${manifestName(day)}`
}

export function mediaUrl(day: string, filename: string): string {
  return `/transmission-media/${day}/${filename}`
}

// The log of days, and what is derived from the archive for plain file servers (FORMAT.md 16 and 17).
// Each has the same name in the archive's folder and below ARCHIVE_URL.

/** One line for each leaf. */
export const LOG_FILE = 'log'
/** The newest signed checkpoint. */
export const CHECKPOINT_FILE = 'checkpoint'
/** The public keys, newest first. */
export const KEY_FILE = 'key'
/** The hashes of all files, for sha256sum. */
export const SUMS_FILE = 'SHA256SUMS'
/** The list of days that a plain file server shows. */
export const INDEX_PAGE = 'index.html'

export const LOG_URL = `${ARCHIVE_URL}/${LOG_FILE}`
export const CHECKPOINT_URL = `${ARCHIVE_URL}/${CHECKPOINT_FILE}`
export const KEY_URL = `${ARCHIVE_URL}/${KEY_FILE}`
export const SUMS_URL = `${ARCHIVE_URL}/${SUMS_FILE}`

/** The hashes of a day's files. */
export function daySumsName(day: string): string {
  return `${day}.sha256`
}

/** The proof that a day is in the log. */
export function dayProofName(day: string): string {
  return `${day}.tlog-proof`
}

export function daySumsUrl(day: string): string {
  return `${ARCHIVE_URL}/${daySumsName(day)}`
}

export function dayProofUrl(day: string): string {
  return `${ARCHIVE_URL}/${dayProofName(day)}`
}

/** The proof that a message is among the records of its day. */
export function messageProofUrl(id: bigint | string): string {
  return `/messages/${id}.proof.json`
}

// The forms of names and addresses as patterns, for JSON Schema; the parsers above are stricter.

export const DAY_PATTERN = DAY.source
export const SHA256_PATTERN = SHA256.source
const ANY_DAY = '[0-9-]{10}'
const ANY_MEDIUM = `[0-9a-f]{64}.(?:${MEDIA_KINDS.join('|')})`
const patternOf = (template: string) => `^${template.replaceAll('.', '\\.')}$`

export const MEDIA_NAME_PATTERN = patternOf(ANY_MEDIUM)
export const SNAPSHOT_URL_PATTERN = patternOf(snapshotUrl(ANY_DAY))
export const MANIFEST_URL_PATTERN = patternOf(manifestUrl(ANY_DAY))
export const MEDIA_URL_PATTERN = patternOf(mediaUrl(ANY_DAY, ANY_MEDIUM))

/** Where a day is assembled before it is published, next to the days, on their file system. */
export const STAGING_FOLDER = '.staging'

/** The folder in which a day is staged. A manifest in it is a commit. */
export function stagingFolder(day: string): string {
  return `${STAGING_FOLDER}/${day}`
}

/**
 * Holds one empty file for each manifest that was ever published, named by its hash: nothing else
 * in the archive hashes the manifests, and a damaged byte in one is to be found.
 */
export const SEALS_FOLDER = '.seals'

/** Where a video is put together, within the staging. */
export const VIDEO_FOLDER = '.video'

/** What a mirror selects, in its root; an archive of its own has no such file. */
export const MIRROR_FILE = 'mirror.json'
export const MIRROR_URL = `${ARCHIVE_URL}/${MIRROR_FILE}`

/** Where a mirror keeps what a source showed in contradiction to its own history. */
export const REFUSED_FOLDER = '.refused'

/** A medium that has arrived in part, in the staging of its day. */
export function partName(filename: string): string {
  return `${filename}.part`
}

/** The ETag under which that part was sent, next to it. */
export function partTagName(filename: string): string {
  return `${filename}.etag`
}

/** What is kept of a file that was refused: a name for each content. */
export function refusedName(name: string, sha256: string): string {
  return `${name}.${sha256}`
}

/** A file is written under this name first; the days never hold it. */
export const TEMPORARY = '.writing'

/** What a store is tried with, before anything is written to it. */
export const PROBE_KEY = '.daysignal-probe'

/** The lock of the one pipeline that may write. */
export const LOCK_FILE = '.pipeline.lock'

export function sealName(day: string, manifestSha256: string): string {
  return `${day}.${manifestSha256}`
}

/** The day and the manifest's hash in the name of a seal, or null. */
export function parseSealName(name: string): { day: string; sha256: string } | null {
  const [day, sha256] = [name.slice(0, 10), name.slice(11)]
  return isDay(day) && isSha256(sha256) && name === sealName(day, sha256) ? { day, sha256 } : null
}
