// The guard of a clock, for tests of what asks it.
import { ClockGuard } from '../../server/clock/guard.ts'
import type { Clock } from '../../server/system/system.ts'

/** A guard that logs nothing. */
export const guardOf = (clock: Clock): ClockGuard =>
  new ClockGuard(clock, { warn() {}, error() {} })
