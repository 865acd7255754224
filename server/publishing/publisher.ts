// The one writer of all creates: one batch is in flight, and what arrives meanwhile is the next one.
import { setImmediate } from 'node:timers/promises'
import { isUnavailable, type Store } from '../store/database.ts'
import { type BatchDeps, type Outcome, publishBatch, type Request } from './batch.ts'
import { OriginCounts } from './origin-counts.ts'

/** Requests of one batch: it holds the write lock, and this process, for some tens of milliseconds. */
export const MAX_BATCH = 200

export interface Publisher {
  /**
   * Resolves after the commit that the request is part of.
   * @throws Problem; StoreUnavailable
   */
  publish(request: Request): Promise<Outcome>
}

/** Called with every batch that was committed: how long each of its requests had waited, and how long it took. */
export type OnBatch = (batch: { waitedMs: readonly number[]; tookMs: number }) => void

export interface PublisherDeps extends Omit<BatchDeps, 'origins'> {
  store: Store
  onBatch?: OnBatch | undefined
}

interface Waiting {
  request: Request
  /** By the clock of `performance.now()` [ms]. */
  since: number
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

export function startPublisher(given: PublisherDeps): Publisher {
  const deps = { ...given, origins: new OriginCounts() }
  const waiting: Waiting[] = []
  let isRunning = false
  const run = async () => {
    while (waiting.length > 0) {
      await gathered(waiting)
      await writeBatch(deps, waiting.splice(0, MAX_BATCH))
    }
    isRunning = false
  }
  return {
    publish: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ request, since: performance.now(), resolve, reject })
        if (isRunning) return
        isRunning = true
        void run()
      }),
  }
}

/** Resolves when a turn of the event loop has brought no further request, or a batch is full: a commit costs much. */
async function gathered(waiting: readonly Waiting[]): Promise<void> {
  let known: number
  do {
    known = waiting.length
    await setImmediate()
  } while (waiting.length > known && waiting.length < MAX_BATCH)
}

/** Never rejects: each request's own promise is settled. */
async function writeBatch(deps: PublisherDeps & BatchDeps, batch: Waiting[]): Promise<void> {
  const requests = batch.map(({ request }) => request)
  const from = performance.now()
  try {
    const outcomes = await deps.store.write((tx) => publishBatch(tx, requests, deps))
    deps.onBatch?.({
      waitedMs: batch.map(({ since }) => from - since),
      tookMs: performance.now() - from,
    })
    for (const [i, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[i] as Outcome | Error
      if (outcome instanceof Error) reject(outcome)
      else resolve(outcome)
    }
  } catch (error) {
    // A locked file or a full disk fails every request; any other failure may be due to one of them, which fails alone.
    if (batch.length > 1 && !isUnavailable(error))
      for (const one of batch) await writeBatch(deps, [one])
    else for (const { reject } of batch) reject(error)
  }
}
