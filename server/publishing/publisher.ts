// The one writer of all creates: one batch is in flight, and what arrives meanwhile is the next one.
import { setImmediate } from 'node:timers/promises'
import { isUnavailable, type Store } from '../store/database.ts'
import { type BatchDeps, type Outcome, publishBatch, type Request } from './batch.ts'

/** Requests of one batch: it holds the write lock, and this process, for some tens of milliseconds. */
export const MAX_BATCH = 200

export interface Publisher {
  /**
   * Resolves after the commit that the request is part of.
   * @throws Problem; StoreUnavailable
   */
  publish(request: Request): Promise<Outcome>
}

interface Waiting {
  request: Request
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

export function startPublisher(deps: BatchDeps & { store: Store }): Publisher {
  const waiting: Waiting[] = []
  let isRunning = false
  const run = async () => {
    while (waiting.length > 0) {
      // Whatever the event loop has ready joins the batch.
      await setImmediate()
      await writeBatch(deps, waiting.splice(0, MAX_BATCH))
    }
    isRunning = false
  }
  return {
    publish: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, resolve, reject })
        if (isRunning) return
        isRunning = true
        void run()
      }),
  }
}

/** Never rejects: every request is told what became of it. */
async function writeBatch(deps: BatchDeps & { store: Store }, batch: Waiting[]): Promise<void> {
  const requests = batch.map(({ request }) => request)
  try {
    const outcomes = await deps.store.write((tx) => publishBatch(tx, requests, deps))
    for (const [i, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[i] as Outcome | Error
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
  } catch (error) {
    // A locked file or a full disk is everybody's; any other failure may be one request's, and is found alone.
    if (batch.length > 1 && !isUnavailable(error))
      for (const one of batch) await writeBatch(deps, [one])
    else for (const { reject } of batch) reject(error)
  }
}
