// The server's heartbeats: at its start, every ten seconds, at each change of state, at its stop.
import type { Store } from '../store/database.ts'
import { HEARTBEAT_EVERY_MS } from '../store/heartbeats.ts'
import { beginInterval, extendInterval, recordClockStep } from './queries.ts'
import { planHeartbeat, type Reading, type State } from './rules.ts'

/** The last heartbeat may not hold up a stop for longer. */
const LAST_BEAT_TIMEOUT_MS = 3_000

export interface RecorderOptions {
  store: Store
  /** Names this process among others on the same database. */
  server: string
  clock: { now(): number; monotonic(): number }
  /** What is switched off at the moment. */
  state(): State | Promise<State>
  log: { warn(fields: object, message: string): void }
  everyMs?: number
}

export interface Recorder {
  /** Writes a heartbeat now; for a change of state, which is to be dated exactly. Never rejects. */
  beat(): Promise<void>
  /** Writes the last heartbeat. */
  stop(): Promise<void>
}

/** Writes the first heartbeat, and goes on until `stop`. One that fails is logged, and the next one tries again. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const write = heartbeatWriter(options)
  const attempt = () =>
    write().catch((error: unknown) => {
      options.log.warn({ err: error }, 'a heartbeat could not be written')
    })
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | null = null
  // One at a time; calls that come meanwhile share the next.
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
 * A function that writes one heartbeat. It remembers the last one that is in the database, so that
 * one that failed leaves nothing behind but a longer silence.
 */
function heartbeatWriter({ store, server, clock, state }: RecorderOptions): () => Promise<void> {
  let last: { interval: bigint; reading: Reading; state: State } | null = null
  return async () => {
    const current = await state()
    last = await store.write(async (tx) => {
      // Read under the write lock: what this heartbeat states of a moment is true when it is committed.
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
