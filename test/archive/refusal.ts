// What a call of the archive is refused with.
import { expect } from 'vitest'
import { ArchiveError } from '../../archive/errors.ts'

/** The code and the one line of the error that a call ends in. */
export async function refusal(work: Promise<unknown>): Promise<[string, string]> {
  const error = await work.then(
    () => new Error('nothing was refused'),
    (error: unknown) => error,
  )
  if (!(error instanceof ArchiveError)) throw error
  expect(error.message).not.toContain('\n')
  return [error.code, error.message]
}

/** The code and message of the error that work without waiting ends in. */
export function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ArchiveError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'nothing was refused'
}
