// The maximum sizes of an archive's files (FORMAT.md 2.7); a larger file is damaged and not read. Pure.
import {
  CHECKPOINT_FILE,
  KEY_FILE,
  LOG_FILE,
  leavesName,
  parseMediaName,
  recordsName,
  splitKey,
} from './paths.ts'

/** Fits thousands of coverage reasons, and bounds the endless body of a hostile server. */
export const MAX_JSON_BYTES = 4 * 1024 * 1024
/** Two leaves for each day that the audio can encode. */
const MAX_LOG_BYTES = 10 * 1024 * 1024
/** A checkpoint, or a list of keys. */
export const MAX_NOTE_BYTES = 128 * 1024
/** One line for each of the five files of each day that the audio can encode. */
const MAX_SUMS_BYTES = 64 * 1024 * 1024
const MAX_MEDIUM_BYTES = 64 * 1024 * 1024

/** One line for each message of a day. */
const MAX_LEAVES_BYTES = 1024 * 1024 * 1024

/** A hostile source must not fill a disk with the records of one day. */
const MAX_RECORDS_BYTES = 4 * 1024 * 1024 * 1024

const LEAVES_EXTENSION = leavesName('')
const RECORDS_EXTENSION = recordsName('')

/**
 * The maximum size of a file [bytes].
 * @param key its name, with or without the folder
 */
export function boundOf(key: string): number {
  const [, name] = splitKey(key)
  if (name.endsWith('.json')) return MAX_JSON_BYTES
  if (parseMediaName(name)) return MAX_MEDIUM_BYTES
  if (name.endsWith(LEAVES_EXTENSION)) return MAX_LEAVES_BYTES
  if (name.endsWith(RECORDS_EXTENSION)) return MAX_RECORDS_BYTES
  if (name === LOG_FILE) return MAX_LOG_BYTES
  return name === CHECKPOINT_FILE || name === KEY_FILE ? MAX_NOTE_BYTES : MAX_SUMS_BYTES
}
