// How large the files of an archive may be (FORMAT.md 2.7): more is damage, and is not read. Pure.
import { CHECKPOINT_FILE, dayProofName, KEY_FILE, LOG_FILE, parseMediaName } from './paths.ts'

/** Thousands of coverage reasons fit; a hostile server's endless body does not. */
export const MAX_JSON_BYTES = 4 * 1024 * 1024
/** Two leaves for each day that the audio can name. */
export const MAX_LOG_BYTES = 10 * 1024 * 1024
/** A checkpoint, with what a proof adds to it, or a list of keys. */
export const MAX_NOTE_BYTES = 128 * 1024
/** A line for each of five files of each day that the audio can name. */
export const MAX_SUMS_BYTES = 64 * 1024 * 1024
export const MAX_MEDIUM_BYTES = 64 * 1024 * 1024

const PROOF_EXTENSION = dayProofName('')

/** @param key the name of a file, with its folder or without */
export function boundOf(key: string): number {
  const name = key.slice(key.lastIndexOf('/') + 1)
  if (name.endsWith('.json')) return MAX_JSON_BYTES
  if (parseMediaName(name)) return MAX_MEDIUM_BYTES
  if (name === LOG_FILE) return MAX_LOG_BYTES
  const isNote = name === CHECKPOINT_FILE || name === KEY_FILE || name.endsWith(PROOF_EXTENSION)
  return isNote ? MAX_NOTE_BYTES : MAX_SUMS_BYTES
}
