// Decodes WAV files on this thread and on workers, so that verifying many days uses every core.
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Decoding, decodeWav } from '../../protocol/receiver/index.ts'

/** Next to this file, also where both are JavaScript (reader.ts). */
const WORKER_URL = new URL(`decoder-worker${extname(import.meta.url)}`, import.meta.url)

/** Two files for each worker, so that it has a next one while this thread is busy decoding. */
const QUEUE_LENGTH = 2

/** @param cores the maximum number of decoding threads including this one; workers are started on demand */
export function openDecoderPool(cores: number) {
  const workers = new Set<DecoderWorker>()
  const pick = (): DecoderWorker | undefined => {
    const idle = workers.values().find(({ pending }) => pending === 0)
    if (idle) return idle
    if (workers.size === cores - 1)
      return workers.values().find(({ pending }) => pending < QUEUE_LENGTH)
    const worker = new DecoderWorker(() => workers.delete(worker))
    workers.add(worker)
    return worker
  }
  return {
    /** The number of files that can be in the pool at once. */
    width: (cores - 1) * QUEUE_LENGTH + 1,
    /** @throws when a worker dies, for example out of memory */
    async decode(wav: Uint8Array): Promise<Decoding> {
      return pick()?.decode(wav) ?? decodeWav(wav)
    },
    async close() {
      await Promise.all(workers.values().map((worker) => worker.terminate()))
    },
  }
}

/** A worker thread with the requests that it has not answered yet; it answers them in order. */
class DecoderWorker {
  readonly #worker = new Worker(WORKER_URL)
  readonly #pending: PromiseWithResolvers<Decoding>[] = []

  /** @param onDeath called when the worker has failed and can decode no more */
  constructor(onDeath: () => void) {
    this.#worker.on('message', (decoding: Decoding) => this.#pending.shift()?.resolve(decoding))
    this.#worker.on('error', (error) => {
      onDeath()
      for (const { reject } of this.#pending.splice(0)) reject(error)
    })
  }

  get pending(): number {
    return this.#pending.length
  }

  decode(wav: Uint8Array): Promise<Decoding> {
    const request = Promise.withResolvers<Decoding>()
    this.#pending.push(request)
    this.#worker.postMessage(wav)
    return request.promise
  }

  terminate(): Promise<number> {
    return this.#worker.terminate()
  }
}
