// Writes what a source sends to a partial file while it is checked, so that nothing is held in memory.
import { open, rm } from 'node:fs/promises'
import { READ_ONLY } from './durable.ts'

/**
 * Writes chunks to a new file, and syncs it once `check` has accepted them.
 * @param path a file that a killed run left there is replaced
 * @param check reads the chunks, each of which is written before
 * @throws whatever `check` throws; the file is then of no use
 */
export async function writeChecked(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  check: (written: AsyncIterable<Uint8Array>) => Promise<void>,
): Promise<void> {
  await rm(path, { force: true })
  const file = await open(path, 'wx')
  const written = async function* () {
    for await (const chunk of chunks) {
      await file.writeFile(chunk)
      yield chunk
    }
  }
  try {
    await check(written())
    await file.chmod(READ_ONLY)
    await file.sync()
  } finally {
    await file.close()
  }
}
