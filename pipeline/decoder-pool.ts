// Decodes WAV files in threads, so that verifying many days uses every core.
import { Worker } from 'node:worker_threads'
import type { Decoding } from '../protocol/index.ts'

const THREAD = new URL('decoder-worker.ts', import.meta.url)

export interface DecoderPool {
  /** @throws when a thread ends, as for want of memory */
  decode(wav: Uint8Array): Promise<Decoding>
  /** Ends the threads. */
  close(): Promise<void>
}

/** @param size how many threads there are at most; each is started when it is first needed */
export function openDecoderPool(size: number): DecoderPool {
  const threads: Worker[] = []
  const idle: Worker[] = []
  const waiting: ((thread: Worker) => void)[] = []
  const take = (): Worker | Promise<Worker> => {
    const free = idle.pop()
    if (free) return free
    if (threads.length === size) return new Promise((resolve) => waiting.push(resolve))
    const thread = new Worker(THREAD)
    threads.push(thread)
    return thread
  }
  const release = (thread: Worker): void => {
    const next = waiting.shift()
    if (next) next(thread)
    else idle.push(thread)
  }
  return {
    async decode(wav) {
      const thread = await take()
      const decoding = await answerOf(thread, wav)
      release(thread)
      return decoding
    },
    async close() {
      await Promise.all(threads.map((thread) => thread.terminate()))
    },
  }
}

function answerOf(thread: Worker, wav: Uint8Array): Promise<Decoding> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      thread.off('message', succeed)
      thread.off('error', fail)
    }
    const succeed = (decoding: Decoding) => {
      settle()
      resolve(decoding)
    }
    const fail = (error: Error) => {
      settle()
      reject(error)
    }
    thread.on('message', succeed)
    thread.on('error', fail)
    thread.postMessage(wav)
  })
}
