// Describes errors of the operating system in words, and the absence of packages that only some installations need.

/** Whether an error comes from the operating system, such as a missing file. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

/** The code of an error, such as `ENOENT`, or undefined. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** A `catch` handler that returns null if the file or folder does not exist. */
export function nullIfMissing(error: unknown): null {
  if (['ENOENT', 'ENOTDIR'].includes(systemCode(error) ?? '')) return null
  throw error
}

const REASONS: Record<string, string> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'read-only file system',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space left on the device',
}

export const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  REASONS[code ?? ''] ?? message

/**
 * @param load imports the package
 * @param need the start of the error message, such as `PostgreSQL needs the package pg`
 * @throws Error with that message if the package is not installed
 */
export async function loadOptional<T>(load: () => Promise<T>, need: string): Promise<T> {
  try {
    return await load()
  } catch (error) {
    if (systemCode(error) !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new Error(`${need}; npm ci installs it`, { cause: error })
  }
}
