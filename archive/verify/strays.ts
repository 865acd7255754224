// Tells the files of an archive from stray ones.
import { type Manifest, namedFiles } from '../format/manifest.ts'
import {
  CHECKPOINT_FILE,
  daySumsName,
  INDEX_PAGE,
  KEY_FILE,
  keyOf,
  LOG_FILE,
  leavesName,
  MIRROR_FILE,
  MODERATION_FILE,
  manifestName,
  parseMediaName,
  RECORDS_STATE_FILE,
  recordsName,
  SUMS_FILE,
} from '../format/paths.ts'
import { hasMessages } from '../format/snapshot.ts'
import type { Finding } from './findings.ts'

/** The files in the root that a verifier reads. */
export const READ_FILES: readonly string[] = [
  LOG_FILE,
  CHECKPOINT_FILE,
  KEY_FILE,
  SUMS_FILE,
  MIRROR_FILE,
]

/** The files in the root, apart from dot names. */
export const ROOT_FILES: readonly string[] = [...READ_FILES, INDEX_PAGE]

/** Those in the root of a mirror that keeps the records of the days. */
export const RECORDS_FILES: readonly string[] = [MODERATION_FILE, RECORDS_STATE_FILE]

/**
 * Reports the files in a day's folder that are neither the manifest, nor named by it, nor derived files.
 * @param hasRecords whether this is a mirror that keeps the records of the days
 */
export function unnamedIn(
  manifest: Manifest,
  names: Iterable<string>,
  hasRecords = false,
): Finding[] {
  const { day } = manifest
  const derived = [daySumsName(day)]
  // Only a day with messages has leaves (FORMAT.md 24.2).
  if (hasMessages(manifest.snapshot.records)) derived.push(leavesName(day))
  if (hasRecords) derived.push(recordsName(day))
  const own = [manifestName(day), ...namedFiles(manifest).map((file) => file.name), ...derived]
  const unnamed = [...names].filter((name) => !own.includes(name))
  return unnamed.map((name) => {
    const file = keyOf(day, name)
    const kind = parseMediaName(name)?.kind
    return kind && manifest.media[kind]?.available === false ? arriving(file) : stray(file)
  })
}

export function stray(file: string): Finding {
  return { code: 'stray', file, message: 'does not belong to the archive' }
}

/** @param file a file or folder of a day that was begun but not published */
export function unfinished(file: string): Finding {
  const message = 'a run is in progress or was killed; the next run completes the day'
  return { code: 'staging_left', file, message }
}

/** @param file a media file of a kind that the manifest states as unavailable; a repair may be adding it */
function arriving(file: string): Finding {
  const message = 'a repair is in progress or was killed; the next repair completes it'
  return { code: 'staging_left', file, message }
}
