// The days with which the receiver is measured: the extremes of a frame, a real day, and random ones.
import {
  COUNTER_NAMES,
  type CounterName,
  concludeDay,
  type DayFields,
  encodeFrame,
  encodeTransmission,
} from '../../protocol/index.ts'
import { type Sound, soundOf } from './channel.ts'
import { random } from './random.ts'

const LARGEST = (1n << 64n) - 1n
const REAL = [412n, 98231n, 3n, 17n, 2n, 31n, 24n, 4n, 6n, 3n, 55n, 9n]

/** A transmission to send through a channel. */
export interface Sent {
  frame: Uint8Array
  sound: Sound
}

/** Returns the day of a trial; trials cycle through six kinds, the last two of them random. */
export function payload(trial: number): DayFields {
  switch (trial % 6) {
    case 0:
      return dayOf('2026-11-19', () => 0n)
    case 1:
      return dayOf('2149-06-06', () => LARGEST)
    case 2:
      return dayOf('2026-10-01', (i) => REAL[i]!)
    case 3:
      return dayOf('1970-01-01', (i) => (i < 4 ? REAL[i]! : null), {
        coverage: 'partial',
        clock: 'stepped',
      })
    default:
      return dayOf('2030-02-28', randomCounters(trial))
  }
}

/** Returns the day of a trial as frame and sound. */
export function sent(trial: number): Sent {
  const fields = payload(trial)
  return { frame: encodeFrame(fields), sound: soundOf(encodeTransmission(fields)) }
}

/** The fields of a day. @param counter returns the number of the counter at an index */
export function dayOf(
  day: string,
  counter: (i: number) => bigint | null,
  flags: Pick<DayFields, 'coverage' | 'clock'> = { coverage: 'complete', clock: 'ok' },
): DayFields {
  const counters = Object.fromEntries(COUNTER_NAMES.map((name, i) => [name, counter(i)])) as Record<
    CounterName,
    bigint | null
  >
  return { day, counters, ...flags, conclusion: concludeDay({ counters, ...flags }) }
}

function randomCounters(seed: number): () => bigint {
  const { uniform } = random(seed)
  const word = () => BigInt(Math.floor(uniform() * 2 ** 32))
  return () => (word() << 32n) | word()
}
