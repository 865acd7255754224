// Fetches one file of which size and hash are known into a part, and goes on with a part that is there.
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, type FileHandle, lstat, open, readFile, rm, writeFile } from 'node:fs/promises'
import { nullIfMissing } from '../files.ts'
import { READ_ONLY } from '../writing/durable.ts'
import { type Answer, type Client, FetchFailure } from './client.ts'

/** The file to fetch, and where its bytes go until they are checked. */
export interface Download {
  url: string
  sha256: string
  bytes: number
  /** The path of the part. */
  part: string
  /** The path of the ETag under which the part was sent. */
  tag: string
}

/** What of a file has arrived. */
interface Arrived {
  bytes: number
  hash: Hash
  etag: string | null
}

/**
 * Completes the part: synced, with the hash that is due.
 * @param onBytes called with the number of bytes that have arrived; negative when they are thrown away
 * @throws FetchFailure
 */
export async function download(
  client: Client,
  file: Download,
  onBytes: (count: number) => void,
): Promise<void> {
  let arrived = await findPart(file)
  onBytes(arrived.bytes)
  const startAnew = async () => {
    onBytes(-arrived.bytes)
    arrived = nothing()
    await removePart(file)
  }
  if (arrived.bytes >= file.bytes && !isDue(file, arrived)) await startAnew()
  if (!isDue(file, arrived))
    await client.get(
      file.url,
      () => rangeHeaders(arrived),
      async (answer) => {
        if (!goesOn(file, arrived, answer)) {
          if (answer.status !== 200) {
            await startAnew()
            throw new FetchFailure(
              'http_status',
              'the server sends another part than was asked for',
            )
          }
          await startAnew()
          arrived.etag = await keepTag(file, answer)
        }
        await append(file, arrived, answer.chunks, onBytes)
        if (isDue(file, arrived)) return
        const { bytes } = arrived
        if (bytes < file.bytes) throw new FetchFailure('unreachable', 'the answer ends early')
        await startAnew()
        throw new FetchFailure(
          bytes > file.bytes ? 'too_large' : 'medium_hash',
          bytes > file.bytes
            ? `is longer than the ${file.bytes} bytes that its manifest names`
            : 'arrives with another hash than its manifest names',
        )
      },
    )
  await settle(file)
}

/** Removes a part, as once its file is in place. */
export async function removePart({ part, tag }: Download): Promise<void> {
  await rm(part, { force: true })
  await rm(tag, { force: true })
}

const nothing = (): Arrived => ({ bytes: 0, hash: createHash('sha256'), etag: null })

function isDue(file: Download, { bytes, hash }: Arrived): boolean {
  return bytes === file.bytes && hash.copy().digest('hex') === file.sha256
}

/** What an earlier run has left; its hash is taken from the disk. */
async function findPart(file: Download): Promise<Arrived> {
  const arrived = nothing()
  const stats = await lstat(file.part).catch(nullIfMissing)
  if (!stats) return arrived
  if (!stats.isFile() || stats.size > file.bytes) {
    await rm(file.part, { recursive: true, force: true })
    return arrived
  }
  for await (const chunk of createReadStream(file.part)) {
    arrived.hash.update(chunk)
    arrived.bytes += chunk.length
  }
  arrived.etag = await readFile(file.tag, 'latin1').catch(nullIfMissing)
  return arrived
}

/** Without a tag nothing shows that the rest would be of the same bytes. */
function rangeHeaders({ bytes, etag }: Arrived): Record<string, string> {
  return bytes > 0 && etag ? { range: `bytes=${bytes}-`, 'if-range': etag } : {}
}

/** Whether an answer has exactly the bytes that are missing. */
function goesOn(file: Download, { bytes }: Arrived, { status, headers }: Answer): boolean {
  const due = `bytes ${bytes}-${file.bytes - 1}/${file.bytes}`
  return status === 206 && bytes > 0 && headers.get('content-range') === due
}

/** Written before the bytes that were sent under it. */
async function keepTag({ tag }: Download, answer: Answer): Promise<string | null> {
  const etag = strongTag(answer)
  if (etag) await writeFile(tag, etag, 'latin1')
  return etag
}

function strongTag({ headers }: Answer): string | null {
  const etag = headers.get('etag') ?? ''
  return /^"[\x21\x23-\x7e]{1,200}"$/.test(etag) ? etag : null
}

/** Stops at the first byte that is too many, which is counted and not written. */
async function append(
  { part, bytes }: Download,
  arrived: Arrived,
  chunks: AsyncIterable<Uint8Array>,
  onBytes: (count: number) => void,
): Promise<void> {
  let target: FileHandle | undefined
  try {
    target = await open(part, 'a')
    for await (const chunk of chunks) {
      arrived.bytes += chunk.length
      onBytes(chunk.length)
      if (arrived.bytes > bytes) return
      arrived.hash.update(chunk)
      await target.writeFile(chunk)
    }
  } finally {
    await target?.close()
  }
}

async function settle({ part }: Download): Promise<void> {
  await chmod(part, READ_ONLY)
  const file = await open(part, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
