// The server's notes of life: at its start, every ten seconds, at each change of state, at its stop.
import type { Store } from '../store/database.ts'
import { beginStretch, extendStretch, recordClockStep } from './queries.ts'
import { NOTE_EVERY_MS, planNote, type Reading, type State } from './rules.ts'

/** The last note may not hold up a stop for longer. */
const LAST_NOTE_PATIENCE_MS = 3_000

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
  /** Notes life now; for a change of state, which is to be dated exactly. Never rejects. */
  note(): Promise<void>
  /** Takes the last note. */
  stop(): Promise<void>
}

/** Takes the first note, and goes on until `stop`. A note that fails is logged, and the next one tries again. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const write = noteWriter(options)
  const attempt = () =>
    write().catch((error: unknown) => {
      options.log.warn({ err: error }, 'a note of life could not be written')
    })
  let running: Promise<void> = Promise.resolve()
  let waiting: Promise<void> | null = null
  // One note at a time; calls that come meanwhile share the next.
  const note = (): Promise<void> => {
    waiting ??= running.then(() => {
      waiting = null
      running = attempt()
      return running
    })
    return waiting
  }
  await note()
  const timer = setInterval(note, options.everyMs ?? NOTE_EVERY_MS)
  timer.unref()
  return {
    note,
    async stop() {
      clearInterval(timer)
      await Promise.race([note(), patience()])
    },
  }
}

/**
 * A function that writes one note. It remembers the last one that is in the database, so that
 * a note that failed leaves nothing behind but a longer silence.
 */
function noteWriter({ store, server, clock, state }: RecorderOptions): () => Promise<void> {
  let last: { stretch: bigint; reading: Reading; state: State } | null = null
  return async () => {
    const current = await state()
    last = await store.write(async (tx) => {
      // Read under the write lock: what this note says of a moment is true when it is committed.
      const reading = { wall: clock.now(), monotonic: clock.monotonic() }
      const note = planNote(last, reading, current)
      if (last && note.continues) await extendStretch(tx, last.stretch, reading.wall)
      if (note.step) await recordClockStep(tx, server, note.step)
      const stretch =
        last && !note.begins ? last.stretch : await beginStretch(tx, server, reading.wall, current)
      return { stretch, reading, state: current }
    })
  }
}

function patience(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, LAST_NOTE_PATIENCE_MS).unref()
  })
}
