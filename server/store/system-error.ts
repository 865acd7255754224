// Errors of the operating system, in words.

/** Whether an error comes from the operating system, as of a file that is missing. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

const REASONS: Record<string, string> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a file is where a folder must be',
  EISDIR: 'is a folder',
  EACCES: 'access is not allowed',
  EPERM: 'access is not allowed',
  EROFS: 'the file system is read-only',
  ELOOP: 'its links lead in a circle',
  ENAMETOOLONG: 'the name is too long',
  ENOSPC: 'no space is left',
}

/** Why the operating system refused. */
export const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  REASONS[code ?? ''] ?? message
