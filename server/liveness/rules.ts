// Decides whether a heartbeat continues the current interval or begins a new one (FORMAT.md 5 and 6).
import { type ClockStep, LONGEST_SILENCE_MS, listFeatures } from '../database/records/heartbeats.ts'
import type { ClockReading } from '../database/settings/clock-settings.ts'

const CLOCK_TOLERANCE_MS = 1_000

/** Two clocks of the machine at the same time. */
export type Reading = Pick<ClockReading, 'wall' | 'sinceBoot'>

export interface State {
  readOnly: boolean
  disabled: readonly string[]
}

export interface LastHeartbeat {
  reading: Reading
  state: State
  /** Whether a later one was left out, because the server refused all writes. */
  isInterrupted: boolean
}

export interface Heartbeat {
  step: ClockStep | null
  /** The server was up, in the state of the last heartbeat, ever since then. */
  continues: boolean
  begins: boolean
}

/**
 * Returns what the current heartbeat must write.
 * @param last null for a server's first heartbeat
 */
export function planHeartbeat(
  last: LastHeartbeat | null,
  reading: Reading,
  state: State,
): Heartbeat {
  if (!last) return { step: null, continues: false, begins: true }
  const elapsed = reading.sinceBoot - last.reading.sinceBoot
  const expectedAt = last.reading.wall + Math.round(elapsed)
  const stepped = Math.abs(reading.wall - expectedAt) > CLOCK_TOLERANCE_MS
  const continues = !stepped && !last.isInterrupted && elapsed <= LONGEST_SILENCE_MS
  const isSameState =
    last.state.readOnly === state.readOnly &&
    listFeatures(last.state.disabled) === listFeatures(state.disabled)
  return {
    step: stepped ? { expectedAt, actualAt: reading.wall } : null,
    continues,
    begins: !continues || !isSameState,
  }
}
