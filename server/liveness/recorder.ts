// Records the server's heartbeats: at its start, every ten seconds, at each change of state and at its stop.
import { refusalOf, type WriteGuard } from '../publishing/guards.ts'
import type { Store } from '../store/database.ts'
import { HEARTBEAT_EVERY_MS } from '../store/heartbeats.ts'
import type { Clock } from '../system.ts'
import { beginInterval, extendInterval, markStopped, recordClockStep } from './queries.ts'
import { type LastHeartbeat, planHeartbeat, type State } from './rules.ts'

/** The longest that a stop waits for the last heartbeat. */
const LAST_BEAT_TIMEOUT_MS = 3_000

export interface RecorderOptions {
  store: Store
  /** The id of this process among those that share the database. */
  server: string
  clock: Clock
  /** The current state of writing. */
  state(): State | Promise<State>
  /** While one of them refuses writes, no heartbeat is written: that time counts as `service_not_running`. */
  guards: readonly WriteGuard[]
  log: { warn(fields: object, message: string): void }
  everyMs?: number
}

export interface Recorder {
  /** Writes a heartbeat now, so that a change of state is dated exactly. Never rejects. */
  beat(): Promise<void>
  /** Writes the last heartbeat, with the mark that the server stopped. */
  stop(): Promise<void>
}

/** Writes a heartbeat now and at each interval until `stop`. A failure is logged, and the next heartbeat retries. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const write = heartbeatWriter(options)
  let isLast = false
  const attempt = () =>
    write(isLast).catch((error: unknown) => {
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
      isLast = true
      await Promise.race([beat(), timeout()])
    },
  }
}

/**
 * Returns a function that writes one heartbeat. It remembers the last committed one, so that a failed write only
 * lengthens the silence before the next.
 */
function heartbeatWriter({
  store,
  server,
  clock,
  state,
  guards,
}: RecorderOptions): (isLast: boolean) => Promise<void> {
  let last: (LastHeartbeat & { interval: bigint }) | null = null
  return async (isLast) => {
    const current = await state()
    last = await store.write(async (tx, opening) => {
      if (refusalOf(guards, opening)) return last && { ...last, isInterrupted: true }
      // Read the clocks under the write lock: waiting for the lock must not date the heartbeat too early.
      const reading = { wall: clock.now(), monotonic: clock.monotonic() }
      const heartbeat = planHeartbeat(last, reading, current)
      if (last && heartbeat.continues) await extendInterval(tx, last.interval, reading.wall)
      if (heartbeat.step) await recordClockStep(tx, server, heartbeat.step)
      const interval =
        last && !heartbeat.begins
          ? last.interval
          : await beginInterval(tx, server, reading.wall, current)
      if (isLast) await markStopped(tx, interval)
      return { interval, reading, state: current, isInterrupted: false }
    })
  }
}

function timeout(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LAST_BEAT_TIMEOUT_MS).unref()
  })
}
