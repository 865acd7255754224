// Decodes WAV files in this thread and in others, so that verifying many days uses every core.
import { Worker } from 'node:worker_threads'
import { type Decoding, decodeWav } from '../protocol/index.ts'

const THREAD = new URL('decoder-worker.ts', import.meta.url)

/** Files that a thread has at once: while this thread decodes, nobody could give it the next one. */
const AHEAD = 2

export interface DecoderPool {
  /** How many files are in work at once when every thread is busy. */
  readonly width: number
  /** @throws when a thread ends, as for want of memory */
  decode(wav: Uint8Array): Promise<Decoding>
  /** Ends the threads. */
  close(): Promise<void>
}

/** @param cores how many threads decode at most, this one among them; each other is started when it is first needed */
export function openDecoderPool(cores: number): DecoderPool {
  const threads: DecoderThread[] = []
  const take = (): DecoderThread | undefined => {
    const idle = threads.find(({ pending }) => pending === 0)
    if (idle) return idle
    if (threads.length === cores - 1) return threads.find(({ pending }) => pending < AHEAD)
    const thread = new DecoderThread()
    threads.push(thread)
    return thread
  }
  return {
    width: (cores - 1) * AHEAD + 1,
    async decode(wav) {
      return take()?.decode(wav) ?? decodeWav(wav)
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.end()))
    },
  }
}

/** Answers in the order in which it is asked. */
class DecoderThread {
  readonly #worker = new Worker(THREAD)
  readonly #waiting: PromiseWithResolvers<Decoding>[] = []

  constructor() {
    this.#worker.on('message', (decoding: Decoding) => this.#waiting.shift()?.resolve(decoding))
    this.#worker.on('error', (error) => {
      for (const { reject } of this.#waiting.splice(0)) reject(error)
    })
  }

  get pending(): number {
    return this.#waiting.length
  }

  decode(wav: Uint8Array): Promise<Decoding> {
    const asked = Promise.withResolvers<Decoding>()
    this.#waiting.push(asked)
    this.#worker.postMessage(wav)
    return asked.promise
  }

  end(): Promise<number> {
    return this.#worker.terminate()
  }
}
