// Reads and replaces the file of a checkpoint that a reader keeps from one check to the next (--since, --update).
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { OWNER_ONLY, realDisk, replaceFile } from '../../archive/base/durable.ts'
import { asWriteError } from '../../archive/base/errors.ts'
import { readRegularFile } from '../../archive/base/regular-file.ts'
import { MAX_NOTE_BYTES } from '../../archive/format/bounds.ts'

/**
 * Reads the checkpoint of an earlier check.
 * @param mayBeMissing whether this run may be the first
 * @returns undefined if there is none yet
 * @throws Error with one line
 */
export function readSince(file: string, mayBeMissing: boolean): Uint8Array | undefined {
  return mayBeMissing && !existsSync(file) ? undefined : readRegularFile(file, MAX_NOTE_BYTES)
}

/** Replaces the file durably; a crash leaves the old checkpoint or the new one. @throws ArchiveError */
export async function replaceSince(file: string, note: string): Promise<void> {
  const path = existsSync(file) ? realpathSync(file) : resolve(file)
  const name = basename(path)
  try {
    const temporary = `.${name}.writing`
    await replaceFile(realDisk, dirname(path), temporary, Buffer.from(note), name, OWNER_ONLY)
  } catch (error) {
    throw asWriteError(error, file)
  }
}
