// When a heartbeat continues the interval before it, and when it begins another (FORMAT.md 5 and 6).

import { type ClockStep, LONGEST_SILENCE_MS, listFeatures } from '../store/heartbeats.ts'

const CLOCK_TOLERANCE_MS = 1_000

/** Both clocks of the process at one moment: ms since 1970-01-01Z, and ms since any fixed moment. */
export interface Reading {
  wall: number
  monotonic: number
}

/** What of writing was switched off. */
export interface State {
  readOnly: boolean
  /** Feature names. */
  disabled: readonly string[]
}

export interface Heartbeat {
  step: ClockStep | null
  /** The server was there, in the state of the last heartbeat, all the time since. */
  continues: boolean
  begins: boolean
}

/**
 * What a heartbeat taken now has to write.
 * @param last the last one that was written; null for a server's first
 */
export function planHeartbeat(
  last: { reading: Reading; state: State } | null,
  reading: Reading,
  state: State,
): Heartbeat {
  if (!last) return { step: null, continues: false, begins: true }
  const elapsed = reading.monotonic - last.reading.monotonic
  const expectedAt = last.reading.wall + Math.round(elapsed)
  const stepped = Math.abs(reading.wall - expectedAt) > CLOCK_TOLERANCE_MS
  const continues = !stepped && elapsed <= LONGEST_SILENCE_MS
  return {
    step: stepped ? { expectedAt, actualAt: reading.wall } : null,
    continues,
    begins: !continues || !sameState(last.state, state),
  }
}

const sameState = (a: State, b: State): boolean =>
  a.readOnly === b.readOnly && listFeatures(a.disabled) === listFeatures(b.disabled)
