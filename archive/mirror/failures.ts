// Tells what the source does wrong, which is reported as findings, from other errors.
import { type ArchiveError, isArchiveError } from '../base/errors.ts'
import { splitKey } from '../format/paths.ts'
import { FetchFailure } from '../http/failure.ts'
import type { FolderPlace } from '../place/folder.ts'
import { type Finding, findingFor } from '../verify/findings.ts'
import { keepRefused } from './folder.ts'
import { OtherManifest } from './plan.ts'

/** An error caused by the origin: it is reported, and the run continues. */
export type OriginError = OtherManifest | FetchFailure | ArchiveError

/** Whether the source has caused an error. */
export function isOriginError(error: unknown): error is OriginError {
  if (error instanceof OtherManifest || error instanceof FetchFailure) return true
  return isArchiveError(error, 'manifest_not_logged', 'invalid_manifest', 'conflict')
}

/** Reports a failed file. A manifest that contradicts the log is kept as evidence. */
export async function findingOf(
  mirror: FolderPlace,
  file: string,
  error: OriginError,
): Promise<Finding> {
  if (error instanceof OtherManifest) {
    const [, name] = splitKey(file)
    const kept = await keepRefused(mirror, name, error.bytes)
    const message = `${error.message}; it is kept as ${kept}`
    return { code: 'manifest_not_logged', file, message }
  }
  return findingFor(file, error)
}
