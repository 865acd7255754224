// Builds and parses the file names and URLs of the archive; no other module does. Pure. Parsers accept
// only the canonical spelling.
import { MEDIA, MEDIA_KINDS, type MediaKind } from './media.ts'

const JSON_TYPE = 'application/json'
const SNAPSHOT_EXTENSION = 'json'
const MANIFEST_EXTENSION = 'manifest.json'

export function contentTypeOf(name: string): string {
  if (name.endsWith('.html')) return 'text/html; charset=utf-8'
  if (name.endsWith(`.${SNAPSHOT_EXTENSION}`)) return JSON_TYPE
  const kind = MEDIA_KINDS.find((candidate) => name.endsWith(`.${MEDIA[candidate].extension}`))
  return kind ? MEDIA[kind].contentType : 'text/plain; charset=utf-8'
}

const SHA256 = /^[0-9a-f]{64}$/

/** Whether the text is a SHA-256 as 64 lowercase hex digits. */
export function isSha256(text: string): boolean {
  return SHA256.test(text)
}

export function snapshotName(day: string): string {
  return `${day}.${SNAPSHOT_EXTENSION}`
}

export function manifestName(day: string): string {
  return `${day}.${MANIFEST_EXTENSION}`
}

/** The archive's root, as the folder of a key. */
export const ROOT = '.'

/** The key of a file: its path relative to the archive's root. @param folder a day's, another one, or `ROOT` */
export function keyOf(folder: string, name: string): string {
  return folder === ROOT ? name : `${folder}/${name}`
}

/** Splits a key into the folder (`ROOT` for a file in the root) and the name of the file. */
export function splitKey(key: string): [folder: string, name: string] {
  const slash = key.lastIndexOf('/')
  return slash < 0 ? [ROOT, key] : [key.slice(0, slash), key.slice(slash + 1)]
}

/** The key of `<day>.json`. */
export function snapshotKey(day: string): string {
  return keyOf(day, snapshotName(day))
}

export function manifestKey(day: string): string {
  return keyOf(day, manifestName(day))
}

export function mediaName(sha256: string, kind: MediaKind): string {
  return `${sha256}.${MEDIA[kind].extension}`
}

/** Parses the name of a media file; null if it is not one. */
export function parseMediaName(name: string): { sha256: string; kind: MediaKind } | null {
  const sha256 = name.slice(0, 64)
  if (!isSha256(sha256)) return null
  const kind = MEDIA_KINDS.find((candidate) => name === mediaName(sha256, candidate))
  return kind ? { sha256, kind } : null
}

/** The list of all days. All URLs of the archive are below it, except those of media files. */
export const ARCHIVE_URL = '/transmissions'
export const INDEX_JSON_URL = `${ARCHIVE_URL}/index.json`
export const INDEX_CSV_URL = `${ARCHIVE_URL}/index.csv`
export const ARCHIVE_FEED_URL = `${ARCHIVE_URL}/feed.atom`
export const PODCAST_URL = `${ARCHIVE_URL}/podcast.xml`
/** The newest day's snapshot. */
export const LATEST_URL = `${ARCHIVE_URL}/latest.json`
/** Redirects to the newest day's page. */
export const LATEST_DAY_URL = `${ARCHIVE_URL}/latest`
/** The newest day's tones as a picture. */
export const LATEST_STRIP_URL = `${ARCHIVE_URL}/latest.svg`
export const PROTOCOL_URL = `${ARCHIVE_URL}/protocol`
/** The page that receives transmissions with a microphone. */
export const LISTEN_URL = `${ARCHIVE_URL}/listen`
/** The page that decodes recordings. */
export const DECODER_URL = `${ARCHIVE_URL}/decode`

// The URLs of a day and its files. With the router parameter `:day` as day they give the route patterns.

export function dayUrl(day: string): string {
  return `${ARCHIVE_URL}/${day}`
}

/** The chord of a day as a picture for other sites. */
export function chordUrl(day: string): string {
  return `${dayUrl(day)}.chord.svg`
}

export function dayRecordsUrl(day: string): string {
  return `${dayUrl(day)}/records`
}

/** The page of a month. @param month YYYY-MM */
export function monthUrl(month: string): string {
  return `${ARCHIVE_URL}/${month}`
}

/** The page of a year. @param year YYYY */
export function yearUrl(year: string): string {
  return `${ARCHIVE_URL}/${year}`
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

/** The URL of a file at a service, by its key. */
export function urlOf(key: string): string {
  const [day, name] = splitKey(key)
  if (parseMediaName(name)) return mediaUrl(day, name)
  return name === recordsName(day) ? recordsUrl(day) : `${ARCHIVE_URL}/${name}`
}

// The log of days and the derived files for plain file servers (FORMAT.md 14 and 15).
// Each has the same name in the archive's folder and below ARCHIVE_URL.

/** The leaves, one per line. */
export const LOG_FILE = 'log'
/** The newest signed checkpoint. */
export const CHECKPOINT_FILE = 'checkpoint'
/** The public keys, newest first. */
export const KEY_FILE = 'key'
/** The hashes of all files, for `sha256sum -c`. */
export const SUMS_FILE = 'SHA256SUMS'
/** The page that a plain file server shows. */
export const INDEX_PAGE = 'index.html'

export const LOG_URL = `${ARCHIVE_URL}/${LOG_FILE}`
export const CHECKPOINT_URL = `${ARCHIVE_URL}/${CHECKPOINT_FILE}`
export const KEY_URL = `${ARCHIVE_URL}/${KEY_FILE}`
export const SUMS_URL = `${ARCHIVE_URL}/${SUMS_FILE}`

export function daySumsName(day: string): string {
  return `${day}.sha256`
}

/** The leaf of each message of a day. */
export function leavesName(day: string): string {
  return `${day}.leaves`
}

export function leavesKey(day: string): string {
  return keyOf(day, leavesName(day))
}

export function leavesUrl(day: string): string {
  return `${ARCHIVE_URL}/${leavesName(day)}`
}

/** The records of a day that readers could see. Only in mirrors (FORMAT.md 26). */
export function recordsName(day: string): string {
  return `${day}.records.ndjson`
}

export function recordsKey(day: string): string {
  return keyOf(day, recordsName(day))
}

/** The URL at which a service generates that file. */
export function recordsUrl(day: string): string {
  return `/api/v1/days/${day}/records`
}

/** The record of moderation. Only in mirrors with records. */
export const MODERATION_FILE = 'moderation.ndjson'

/** What a mirror remembers of the records that it has fetched. */
export const RECORDS_STATE_FILE = '.records.json'

/** A page of the record of moderation of a service. @param after the id of the last action seen */
export function moderationUrl(after: bigint, limit: number): string {
  return `/api/v1/moderation?after=${after}&limit=${limit}`
}

export function daySumsUrl(day: string): string {
  return `${ARCHIVE_URL}/${daySumsName(day)}`
}

/** The promise that a message will be among the records of its day. */
export function receiptUrl(id: bigint | string): string {
  return `/messages/${id}.receipt`
}

// Patterns of names and URLs for JSON Schema; the parsers above are stricter.

export const SHA256_PATTERN = SHA256.source
const ANY_DAY = '[0-9-]{10}'
const EXTENSIONS = MEDIA_KINDS.map((kind) => MEDIA[kind].extension)
const ANY_MEDIUM = `[0-9a-f]{64}.(?:${EXTENSIONS.join('|')})`
const patternOf = (template: string) => `^${template.replaceAll('.', '\\.')}$`

export const MEDIA_NAME_PATTERN = patternOf(ANY_MEDIUM)
export const SNAPSHOT_URL_PATTERN = patternOf(snapshotUrl(ANY_DAY))
export const MANIFEST_URL_PATTERN = patternOf(manifestUrl(ANY_DAY))
export const MEDIA_URL_PATTERN = patternOf(mediaUrl(ANY_DAY, ANY_MEDIUM))

/** Where a mirror keeps what it has of an incomplete day: on the same file system as the days. */
export const STAGING_FOLDER = '.incoming'

/** The folder in which a mirror stages a day. */
export function stagingFolder(day: string): string {
  return keyOf(STAGING_FOLDER, day)
}

/** Where films are assembled, in the folder of the cache. */
export const FILM_FOLDER = '.video'

/** The settings of a mirror, in its root; other archives have no such file. */
export const MIRROR_FILE = 'mirror.json'
export const MIRROR_URL = `${ARCHIVE_URL}/${MIRROR_FILE}`

/** Where a mirror keeps files from its source that contradict its own history. */
export const REFUSED_FOLDER = '.refused'

/** A partly downloaded media file, in the staging folder of its day. */
export function partName(filename: string): string {
  return `${filename}.part`
}

/** The ETag that the server sent with that part. */
export function partTagName(filename: string): string {
  return `${filename}.etag`
}

/** The name of a refused file: one for each content. */
export function refusedName(name: string, sha256: string): string {
  return `${name}.${sha256}`
}

/** Files are written under this name first, and never inside the folder of a day. */
export const TEMPORARY = '.writing'

/** The object that tests whether an object store honours conditional writes. */
export const PROBE_KEY = '.daysignal-probe'

/** Held by the one pipeline that may write. */
export const LOCK_FILE = '.pipeline.lock'
