// Captures the ArchiveError of a failing call.
import { expect } from 'vitest'
import { ArchiveError } from '../../archive/base/errors.ts'

/** The code and message of the error that a promise rejects with. Expects the message to be one line. */
export async function refusal(work: Promise<unknown>): Promise<[string, string]> {
  const error = await work.then(
    () => new Error('nothing was refused'),
    (error: unknown) => error,
  )
  if (!(error instanceof ArchiveError)) throw error
  expect(error.message).not.toContain('\n')
  return [error.code, error.message]
}

/** `<code>: <message>` of the error that a synchronous call throws. */
export function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ArchiveError) return `${error.code}: ${error.message}`
    throw error
  }
  return 'nothing was refused'
}
