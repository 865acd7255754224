// The single writer of all creates. While one batch is in flight, the requests that arrive form the next.
import { setImmediate } from 'node:timers/promises'
import { ClockProblem } from '../clock/guard.ts'
import type { Database } from '../database/database.ts'
import { DatabaseUnavailable, isUnavailable } from '../database/errors.ts'
import type { Clock } from '../system/system.ts'
import { type BatchDeps, type Outcome, publishBatch, type Request } from './batch.ts'

/** Requests per batch. A full one holds the write lock and blocks this process for some tens of milliseconds. */
export const MAX_BATCH = 200

/** A request that has waited this long for its batch is rejected: nothing of it has been written [ms]. */
const QUEUE_TIMEOUT_MS = 5_000
const QUEUE_CHECK_MS = 250

/**
 * Resolves after the commit that contains the request.
 * @throws Problem; DatabaseUnavailable
 */
export type Publish = <Input>(request: Request<Input>) => Promise<Outcome>

/** Called after each committed batch with the queueing time of each request, and the duration of the transaction. */
export type OnBatch = (batch: { waitedMs: readonly number[]; tookMs: number }) => void

interface PublisherDeps extends BatchDeps {
  database: Database
  onBatch?: OnBatch | undefined
}

interface Pending {
  request: Request
  /** Monotonic time [ms]. */
  queuedAt: number
  resolve(outcome: Outcome): void
  reject(error: unknown): void
}

export function startPublisher(deps: PublisherDeps): Publish {
  const queue: Pending[] = []
  let isRunning = false
  const run = async () => {
    const late = setInterval(() => rejectLate(queue, deps.clock), QUEUE_CHECK_MS)
    while (queue.length > 0) {
      await fillBatch(queue)
      await writeBatch(deps, queue.splice(0, MAX_BATCH))
    }
    clearInterval(late)
    isRunning = false
  }
  return (request) =>
    new Promise((resolve, reject) => {
      queue.push({ request, queuedAt: deps.clock.monotonic(), resolve, reject })
      if (isRunning) return
      isRunning = true
      void run()
    })
}

/** Waits until an event loop turn brings no further request or the batch is full, because each commit is expensive. */
async function fillBatch(queue: readonly Pending[]): Promise<void> {
  let length: number
  do {
    length = queue.length
    await setImmediate()
  } while (queue.length > length && queue.length < MAX_BATCH)
}

/** Rejects requests that wait too long while a batch is in flight, as when the response to its COMMIT is lost. */
function rejectLate(queue: Pending[], clock: Clock): void {
  const queuedBefore = clock.monotonic() - QUEUE_TIMEOUT_MS
  const isLate = (first: Pending | undefined) => first && first.queuedAt < queuedBefore
  while (isLate(queue[0]))
    queue.shift()?.reject(new DatabaseUnavailable('the writes before it took too long'))
}

/** Settles the promise of each request, and never rejects itself. */
async function writeBatch(deps: PublisherDeps, batch: Pending[]): Promise<void> {
  const requests = batch.map(({ request }) => request)
  const from = deps.clock.monotonic()
  let outcomes: (Outcome | Error)[]
  try {
    outcomes = await deps.database.write((tx, opening) => publishBatch(tx, opening, requests, deps))
  } catch (error) {
    // A locked file, a full disk or a wrong clock fails every request. Any other error may be due to one of them, so
    // retry one by one.
    if (batch.length > 1 && !isUnavailable(error) && !(error instanceof ClockProblem))
      for (const one of batch) await writeBatch(deps, [one])
    else for (const { reject } of batch) reject(error)
    return
  }
  // Outside the try, because nothing that fails after the commit may publish a request again.
  const tookMs = deps.clock.monotonic() - from
  for (const [i, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[i] as Outcome | Error
    if (outcome instanceof Error) reject(outcome)
    else resolve(outcome)
  }
  deps.onBatch?.({ waitedMs: batch.map(({ queuedAt }) => from - queuedAt), tookMs })
}
