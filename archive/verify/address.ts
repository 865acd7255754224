// Opens the archive at an address for verify.
import { ArchiveError } from '../errors.ts'
import { CHECK_LIMITS, Client, type ClientOptions } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { locate } from '../http/locate.ts'
import { fileServerSource } from './file-server.ts'
import { HttpFiles } from './http.ts'
import { serviceSource } from './service.ts'
import type { Source } from './source.ts'

/**
 * Opens the source at a base address.
 * @throws ArchiveError `archive_unavailable` if the server does not respond
 */
export async function sourceAt(address: string, options: ClientOptions = {}): Promise<Source> {
  const client = new Client({ ...CHECK_LIMITS, ...options })
  const { base, kind, checkpoint } = await locate(client, address)
  const files = new HttpFiles(base, client)
  if (kind === 'folder') return fileServerSource(files)
  if (checkpoint instanceof FetchFailure && checkpoint.code === 'unreachable')
    throw new ArchiveError('archive_unavailable', `${base}: ${checkpoint.message}`)
  return serviceSource(files)
}
