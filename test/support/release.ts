// Releases what tests start and create: servers, databases and temporary folders need no hook of their own.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

type Release = () => Promise<void>

const ofFile = new Set<Release>()
/** While a test and its hooks run. */
let ofTest: Set<Release> | undefined

/**
 * Calls `release` when the test ends in which this is called, or else at the end of the file; what is newer is released first.
 * @returns a function that releases it at once; a second call does nothing
 */
export function released(release: () => unknown): Release {
  const scope = ofTest ?? ofFile
  const once = async () => {
    if (scope.delete(once)) await release()
  }
  scope.add(once)
  return once
}

/** Makes an empty folder, which is removed at the end of the test or of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'daysignal-'))
  // A killed process may still be writing.
  released(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
  return folder
}

export function beginTest(): void {
  ofTest = new Set()
}

export async function endTest(): Promise<void> {
  const scope = ofTest ?? new Set()
  ofTest = undefined
  await releaseAll(scope)
}

export const endFile = (): Promise<void> => releaseAll(ofFile)

/** @throws the first error, when all have been released */
async function releaseAll(scope: Set<Release>): Promise<void> {
  const errors: unknown[] = []
  for (const release of [...scope].reverse()) await release().catch((error) => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
