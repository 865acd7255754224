// Records the server's heartbeats: at its start, every ten seconds, at each change of state and at its stop.
import { coalesced } from '../../archive/base/concurrently.ts'
import { HEARTBEAT_EVERY_MS } from '../database/records/heartbeats.ts'
import { within } from '../system/system.ts'
import { type HeartbeatOptions, heartbeatWriter } from './heartbeat.ts'

/** The longest that a stop waits for the last heartbeat. */
const LAST_BEAT_TIMEOUT_MS = 3_000

export interface RecorderOptions extends HeartbeatOptions {
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
  const beat = coalesced(attempt)
  await beat()
  const timer = setInterval(beat, options.everyMs ?? HEARTBEAT_EVERY_MS)
  timer.unref()
  return {
    beat,
    async stop() {
      clearInterval(timer)
      isLast = true
      await within(LAST_BEAT_TIMEOUT_MS, beat(), undefined)
    },
  }
}
