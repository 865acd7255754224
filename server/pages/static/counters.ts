// The list of the counters and the format of counts, for the server's pages and the decoder.
import { COUNTER_LABELS } from '../../../archive/drawing/counter-labels.ts'
import type { CounterName } from '../../../protocol/index.ts'

/** In the order of the frame. */
export const COUNTERS = Object.keys(COUNTER_LABELS) as readonly CounterName[]

const DIGITS = new Intl.NumberFormat('en')

/** 18446744073709551615 -> `18,446,744,073,709,551,615`; null -> `not available`. */
export const formatCount = (count: bigint | null): string =>
  count === null ? 'not available' : DIGITS.format(count)
