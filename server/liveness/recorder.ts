// Records the server's heartbeats: at its start, every ten seconds, at each change of state and at its stop.
import type { Store } from '../store/database.ts'
import { HEARTBEAT_EVERY_MS } from '../store/heartbeats.ts'
import type { Clock } from '../system.ts'
import { beginInterval, extendInterval, recordClockStep } from './queries.ts'
import { planHeartbeat, type Reading, type State } from './rules.ts'

/** The longest that a stop waits for the last heartbeat. */
const LAST_BEAT_TIMEOUT_MS = 3_000

export interface RecorderOptions {
  store: Store
  /** The id of this process among those that share the database. */
  server: string
  clock: Clock
  /** The current state of writing. */
  state(): State | Promise<State>
  log: { warn(fields: object, message: string): void }
  everyMs?: number
}

export interface Recorder {
  /** Writes a heartbeat now, so that a change of state is dated exactly. Never rejects. */
  beat(): Promise<void>
  /** Writes the last heartbeat. */
  stop(): Promise<void>
}

/** Writes a heartbeat now and at each interval until `stop`. A failure is logged, and the next heartbeat retries. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const write = heartbeatWriter(options)
  const attempt = () =>
    write().catch((error: unknown) => {
      options.log.warn({ err: error }, 'a heartbeat could not be written')
    })
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | null = null
  // One write at a time; calls during a write share the next one.
  const beat = (): Promise<void> => {
    waiting ??= running.then(() => {
      waiting = null
      running = attempt()
      return running
    })
    return waiting
  }
  await beat()
  const timer = setInterval(beat, options.everyMs ?? HEARTBEAT_EVERY_MS)
  timer.unref()
  return {
    beat,
    async stop() {
      clearInterval(timer)
      await Promise.race([beat(), timeout()])
    },
  }
}

/**
 * Returns a function that writes one heartbeat. It remembers the last committed one, so that a failed write only
 * lengthens the silence before the next.
 */
function heartbeatWriter({ store, server, clock, state }: RecorderOptions): () => Promise<void> {
  let last: { interval: bigint; reading: Reading; state: State } | null = null
  return async () => {
    const current = await state()
    last = await store.write(async (tx) => {
      // Read the clocks under the write lock: waiting for the lock must not date the heartbeat too early.
      const reading = { wall: clock.now(), monotonic: clock.monotonic() }
      const heartbeat = planHeartbeat(last, reading, current)
      if (last && heartbeat.continues) await extendInterval(tx, last.interval, reading.wall)
      if (heartbeat.step) await recordClockStep(tx, server, heartbeat.step)
      const interval =
        last && !heartbeat.begins
          ? last.interval
          : await beginInterval(tx, server, reading.wall, current)
      return { interval, reading, state: current }
    })
  }
}

function timeout(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LAST_BEAT_TIMEOUT_MS).unref()
  })
}
