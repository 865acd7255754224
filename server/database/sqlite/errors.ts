// Classifies the errors of SQLite.
import { isSystemError } from '../../../archive/base/system-error.ts'

/** SQLite's primary result codes for failures of the engine, as opposed to invalid queries. */
const CODES = {
  BUSY: 5,
  LOCKED: 6,
  NOMEM: 7,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  NOTADB: 26,
} as const
const ENGINE_FAILURES: readonly number[] = Object.values(CODES)

/** Whether another process holds the lock that a statement needed. */
export const isBusy = (error: unknown): boolean => resultCode(error) === CODES.BUSY

/** Whether SQLite could open the file, but not write it or create its log next to it. */
export const isReadOnly = (error: unknown): boolean => resultCode(error) === CODES.READONLY

/** Whether the file or its folder cannot be written. */
export const isUnwritable = (error: unknown): boolean =>
  isSystemError(error)
    ? ['EROFS', 'EACCES', 'EPERM'].includes(error.code ?? '')
    : isReadOnly(error) || resultCode(error) === CODES.CANTOPEN

export const isNotADatabase = (error: unknown): boolean => resultCode(error) === CODES.NOTADB

/** Whether the engine failed, as opposed to the query being invalid. */
export const isEngineFailure = (error: unknown): error is Error =>
  ENGINE_FAILURES.includes(resultCode(error) ?? 0)

function resultCode(error: unknown): number | undefined {
  const extended = (error as { errcode?: unknown } | null)?.errcode
  return typeof extended === 'number' ? extended & 0xff : undefined
}
