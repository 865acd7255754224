// Finds the archive to copy from at an address. It must have a signed log.
import { CHECKPOINT_FILE } from '../format/paths.ts'
import type { Client } from '../http/client.ts'
import { FetchFailure } from '../http/failure.ts'
import { type Layout, locate } from '../http/locate.ts'

/** @throws FetchFailure `log_missing` if there is no checkpoint, or another one if it cannot be read */
export async function findOrigin(
  client: Client,
  address: string,
): Promise<{ origin: Layout; checkpoint: Uint8Array }> {
  const { urls, checkpoint } = await locate(client, address)
  if (!(checkpoint instanceof FetchFailure)) return { origin: urls, checkpoint }
  if (checkpoint.code !== 'missing') throw checkpoint
  throw new FetchFailure('log_missing', `has no signed log at ${urls.root(CHECKPOINT_FILE)}`)
}
