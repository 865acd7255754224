// Detects what serves the archive at an address: a service or a plain file server (FORMAT.md 21.3).
import { serviceOfList } from '../base-address.ts'
import { ArchiveError } from '../errors.ts'
import { MAX_JSON_BYTES, MAX_NOTE_BYTES } from '../format/bounds.ts'
import { CHECKPOINT_FILE, CHECKPOINT_URL, INDEX_JSON_URL } from '../format/paths.ts'
import type { ClientOptions } from '../http/client.ts'
import { fileServerSource } from './file-server.ts'
import { HttpFiles } from './http.ts'
import { serviceSource } from './service.ts'
import type { Source } from './source.ts'

/**
 * Opens the source at a base address. A folder is recognized by its checkpoint; a service need not have one.
 * @throws ArchiveError `archive_unavailable` if the server does not respond
 */
export async function sourceAt(address: string, options: ClientOptions = {}): Promise<Source> {
  const files = new HttpFiles(address, options)
  const ofService = await files.read(CHECKPOINT_URL, MAX_NOTE_BYTES)
  if (!('problem' in ofService)) return serviceSource(files)
  const { code, message } = ofService.problem
  if (code === 'unreachable')
    throw new ArchiveError('archive_unavailable', `${files.base}: ${message}`)
  if (code !== 'missing') return serviceSource(files)
  const service = serviceOfList(files.base)
  if (service !== undefined) {
    const list = await new HttpFiles(service, options).read(INDEX_JSON_URL, MAX_JSON_BYTES)
    if (!('problem' in list)) return sourceAt(service, options)
  }
  const ofFolder = await files.read(`/${CHECKPOINT_FILE}`, MAX_NOTE_BYTES)
  const isFolder = !('problem' in ofFolder) || ofFolder.problem.code !== 'missing'
  return isFolder ? fileServerSource(files) : serviceSource(files)
}
