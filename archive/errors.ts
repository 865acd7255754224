// What can go wrong with an archive, by a stable code and one sentence for people.

export type ArchiveErrorCode =
  /** The folder is missing, is no folder, or cannot be read. */
  | 'archive_unavailable'
  /** The folder can be read, but not written. */
  | 'archive_unwritable'
  /** The disk, or the quota on it, is full. */
  | 'storage_full'
  /** Another failure of the disk. */
  | 'storage_failed'
  /** `<day>.json` is missing, is not canonical, or is not the one that its manifest names. */
  | 'invalid_snapshot'
  /** A manifest is not canonical, or contradicts itself. */
  | 'invalid_manifest'
  /** A medium that the manifest names is missing or has another size. */
  | 'invalid_medium'
  /** Other content exists under the name already: a sealed day never changes. */
  | 'conflict'
  /** The day has no manifest yet. */
  | 'not_sealed'
  /** The staged day lacks a file that its manifest names. */
  | 'incomplete_staging'
  /** The bytes offered as a repair are not those that the manifest names. */
  | 'repair_mismatch'
  /** A text that is no signed note, no checkpoint, no proof, no verifier key, or no log (FORMAT.md 17 to 20). */
  | 'invalid_note'
  | 'invalid_checkpoint'
  | 'invalid_proof'
  | 'invalid_key'
  | 'invalid_log'
  /** The log does not continue a checkpoint that was signed, or has a leaf that never was. */
  | 'log_rewritten'
  /** The log, or the key that signs it, is gone, though checkpoints of it are known. */
  | 'log_missing'
  /** A manifest that is neither its day's newest leaf nor an upgrade of it. */
  | 'manifest_not_logged'
  /** `mirror.json` breaks a rule (FORMAT.md 21). */
  | 'invalid_mirror'
  /** The folder holds something else than a mirror, or the mirror would lose what it has. */
  | 'not_a_mirror'
  /** A note without a signature by a known key. */
  | 'unknown_signer'
  /** A note whose signature by a known key does not verify. */
  | 'wrong_signature'

export class ArchiveError extends Error {
  override name = 'ArchiveError'
  readonly code: ArchiveErrorCode

  constructor(code: ArchiveErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The system's code of a failed call (`ENOENT`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** For `catch`: gives null when the error has this code, and throws any other. */
export function nullIf(code: ArchiveErrorCode): (error: unknown) => null {
  return (error) => {
    if (error instanceof ArchiveError && error.code === code) return null
    throw error
  }
}

/** What a bad sector or a wrong permission gives; a lack of descriptors or memory is no fault of the file. */
const OF_THE_FILE: readonly (string | undefined)[] = ['EACCES', 'EPERM', 'EIO', 'ELOOP', 'ENXIO']

/**
 * For `catch` around a read of one file: what concerns that file alone is damage, and is reported as such.
 * @param name the file's, for people
 * @throws ArchiveError with this code when the file cannot be read; the same error otherwise
 */
export function unreadableAs(code: ArchiveErrorCode, name: string): (error: unknown) => never {
  return (error) => {
    const cause = error instanceof ArchiveError ? error.cause : error
    const reason = systemCode(cause)
    if (!OF_THE_FILE.includes(reason)) throw error
    throw new ArchiveError(code, `${name}: cannot be read (${reason})`, { cause })
  }
}

/**
 * Runs work that may refuse the content of a file.
 * @param code of what is refused; that of the refusal where there is none
 * @throws ArchiveError with the file's name in front of its message
 */
export function naming<T>(name: string, work: () => T, code?: ArchiveErrorCode): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    throw new ArchiveError(code ?? error.code, `${name}: ${error.message}`, { cause: error })
  }
}

/** A failed write as an ArchiveError of one line; an ArchiveError stays as it is. */
export function asWriteError(error: unknown, path: string): ArchiveError {
  if (error instanceof ArchiveError) return error
  const code = systemCode(error)
  const options = { cause: error }
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new ArchiveError('storage_full', `${path}: no space left on the disk`, options)
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return new ArchiveError(
      'archive_unwritable',
      `${pathIn(error) ?? path}: no permission to write`,
      options,
    )
  const reason = error instanceof Error ? error.message : String(error)
  return new ArchiveError('storage_failed', `${path}: cannot be written: ${reason}`, options)
}

/** A failed read as an ArchiveError of one line; an ArchiveError stays as it is. */
export function asReadError(error: unknown, path: string): ArchiveError {
  if (error instanceof ArchiveError) return error
  const code = systemCode(error)
  const reason =
    code === 'ENOENT'
      ? 'does not exist'
      : code === 'ENOTDIR'
        ? 'is not a folder'
        : `cannot be read (${code ?? String(error)})`
  const where = code === 'ENOENT' || code === 'ENOTDIR' ? path : (pathIn(error) ?? path)
  return new ArchiveError('archive_unavailable', `${where}: ${reason}`, { cause: error })
}

/** The file that a failed call of the system names. */
function pathIn(error: unknown): string | undefined {
  const { path } = error as NodeJS.ErrnoException
  return path
}
