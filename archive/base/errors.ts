// Errors of an archive and of the reading of its files: a stable code and a one-line message.
import { systemCode } from './system-error.ts'

export type ArchiveErrorCode =
  /** The folder is missing, is not a folder, or cannot be read. */
  | 'archive_unavailable'
  /** The folder can be read, but not written. */
  | 'archive_unwritable'
  /** The disk, or the quota on it, is full. */
  | 'storage_full'
  /** The disk failed in another way. */
  | 'storage_failed'
  /** `<day>.json` is missing, is not canonical, or is not the file that the manifest names. */
  | 'invalid_snapshot'
  /** A manifest is not canonical, or contradicts itself. */
  | 'invalid_manifest'
  /** A media file named by the manifest is missing or has a different size. */
  | 'invalid_medium'
  /** The name already exists with other content; a sealed day never changes. */
  | 'conflict'
  /** The day has no manifest yet. */
  | 'not_sealed'
  /** The day to be sealed lacks a file that its manifest names. */
  | 'incomplete_day'
  /** The bytes offered as a repair do not match the manifest. */
  | 'repair_mismatch'
  /** The bytes are not a signed note, checkpoint, verifier key, log or receipt (FORMAT.md 15 to 17, 23). */
  | 'invalid_note'
  | 'invalid_checkpoint'
  | 'invalid_key'
  | 'invalid_log'
  | 'invalid_receipt'
  /** `<day>.leaves` is malformed, or has another number or root of leaves than `<day>.json` states. */
  | 'leaves_differ'
  /** A line of the records of a day, or of the record of moderation, breaks a rule (FORMAT.md 26). */
  | 'invalid_records'
  /** The records of a day are not those that it has sealed. */
  | 'records_differ'
  /** The log does not continue a signed checkpoint, or has a leaf that no manifest justifies. */
  | 'log_rewritten'
  /** The log or its signing key is gone, although checkpoints of the log are known. */
  | 'log_missing'
  /** A manifest is neither its day's newest leaf nor an upgrade of it. */
  | 'manifest_not_logged'
  /** `mirror.json` breaks a rule (FORMAT.md 19). */
  | 'invalid_mirror'
  /** The folder contains something other than a mirror, or the mirror would have to shrink. */
  | 'not_a_mirror'
  /** A note has no signature by a known key. */
  | 'unknown_signer'
  /** A trust policy breaks a rule (FORMAT.md 25). */
  | 'invalid_policy'
  /** Too few witnesses have signed. */
  | 'no_quorum'
  /** A signature by a known key does not verify. */
  | 'wrong_signature'

export class ArchiveError extends Error {
  override name = 'ArchiveError'
  readonly code: ArchiveErrorCode

  constructor(code: ArchiveErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** Whether an error is an ArchiveError: with one of these codes, if any are named. */
export function isArchiveError(
  error: unknown,
  ...codes: readonly ArchiveErrorCode[]
): error is ArchiveError {
  return error instanceof ArchiveError && (codes.length === 0 || codes.includes(error.code))
}

/** Why a file of a place cannot be used. The codes are those of findings (FORMAT.md 12.3). */
export type BadFileCode =
  | 'missing'
  | 'not_a_file'
  | 'too_large'
  | 'unreadable'
  | 'unreachable'
  | 'http_status'
  | 'invalid_index'
  | 'log_missing'
  | 'leaves_differ'
  | 'medium_hash'

/** A file that cannot be used, and why, in one line without its name. */
export interface BadFile {
  problem: { code: BadFileCode; message: string }
}

export function badFile(code: BadFileCode, message: string): BadFile {
  return { problem: { code, message } }
}

/** A `catch` handler of ArchiveErrors with these codes, or of all if none is named, that rethrows any other error. */
export function caught<R>(
  handle: (error: ArchiveError) => R,
  ...codes: readonly ArchiveErrorCode[]
): (error: unknown) => R {
  return (error) => {
    if (isArchiveError(error, ...codes)) return handle(error)
    throw error
  }
}

/** Like `caught`; returns null for the error. */
export const nullIf = (...codes: readonly ArchiveErrorCode[]) => caught(() => null, ...codes)

/** Runs work that may reject what it reads, and handles that, if it does with one of these codes, or with any if none is named. */
export function orElse<T, R>(
  work: () => T,
  handle: (error: ArchiveError) => R,
  ...codes: readonly ArchiveErrorCode[]
): T | R {
  try {
    return work()
  } catch (error) {
    return caught(handle, ...codes)(error)
  }
}

/** Like `orElse`; returns null for what is rejected. */
export function orNull<T>(work: () => T, ...codes: readonly ArchiveErrorCode[]): T | null {
  return orElse(work, () => null, ...codes)
}

/** Caused by a bad sector or wrong permission. Running out of descriptors or memory does not mean damage. */
const FILE_DAMAGE: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EIO', 'ELOOP', 'ENXIO']

/** Whether an error only concerns the file that was read, which therefore is damaged. */
export function isFileDamage(error: unknown): boolean {
  return FILE_DAMAGE.includes(systemCode(isArchiveError(error) ? error.cause : error))
}

/**
 * Runs work that may reject the content of a file, and names the file in the error.
 * @param code replaces the code of the error, if given
 * @throws ArchiveError with the file's name in front of its message
 */
export function naming<T>(name: string, work: () => T, code?: ArchiveErrorCode): T {
  return orElse(work, (error) => {
    throw new ArchiveError(code ?? error.code, `${name}: ${error.message}`, { cause: error })
  })
}

/** Converts a failed write to an ArchiveError with a one-line message; returns an ArchiveError unchanged. */
export function asWriteError(error: unknown, path: string): ArchiveError {
  if (isArchiveError(error)) return error
  const code = systemCode(error)
  const options = { cause: error }
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ArchiveError('storage_full', `${path}: no space left on the disk`, options)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new ArchiveError(
      'archive_unwritable',
      `${(error as NodeJS.ErrnoException).path ?? path}: no permission to write`,
      options,
    )
  const reason = error instanceof Error ? error.message : String(error)
  return new ArchiveError('storage_failed', `${path}: cannot be written: ${reason}`, options)
}

/** Converts a failed read to an ArchiveError with a one-line message; returns an ArchiveError unchanged. */
export function asReadError(error: unknown, path: string): ArchiveError {
  if (isArchiveError(error)) return error
  const code = systemCode(error)
  const reason =
    code === 'ENOENT'
      ? 'does not exist'
      : code === 'ENOTDIR'
        ? 'is not a folder'
        : `cannot be read (${code ?? String(error)})`
  const { path: named = path } = error as NodeJS.ErrnoException
  const where = code === 'ENOENT' || code === 'ENOTDIR' ? path : named
  return new ArchiveError('archive_unavailable', `${where}: ${reason}`, { cause: error })
}
