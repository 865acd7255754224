// The labels of the counters, for the server's pages and the decoder.
import type { CounterName } from '../../../protocol/index.ts'

/** In the order of the frame. */
export const COUNTER_LABELS: Record<CounterName, string> = {
  messages: 'Messages',
  message_bytes: 'Text, bytes',
  directories: 'New directories',
  active_directories: 'Directories used',
  investigations: 'New investigations',
  observations: 'Observations',
  attempts: 'Attempts',
  corrections: 'Corrections',
  results: 'Results',
  reuses: 'Reuses',
  sources: 'Sources',
  reviews: 'Reviews',
}

export const COUNTERS = Object.keys(COUNTER_LABELS) as readonly CounterName[]

const DIGITS = new Intl.NumberFormat('en')

/** 18446744073709551615 -> `18,446,744,073,709,551,615`; null -> `not available`. */
export const formatCount = (count: bigint | null): string =>
  count === null ? 'not available' : DIGITS.format(count)
