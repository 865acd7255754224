// The initials of the counters and the formats of counts, for the server's pages and the decoder.
import type { CounterName } from '../../../protocol/index.ts'

/** Two letters for each that has a column in a chord, in their order; no two are alike. */
export const COUNTER_INITIALS: Partial<Record<CounterName, string>> = {
  messages: 'Me',
  directories: 'Nd',
  active_directories: 'Di',
  investigations: 'In',
  observations: 'Ob',
  attempts: 'At',
  corrections: 'Co',
  results: 'Re',
  reuses: 'Us',
  sources: 'So',
  reviews: 'Rv',
}

const DIGITS = new Intl.NumberFormat('en')

/** 18446744073709551615 -> `18,446,744,073,709,551,615`; null -> `not available`. */
export const formatCount = (count: bigint | string | number | null): string =>
  count === null ? 'not available' : DIGITS.format(BigInt(count))

/** `1 message`, `7 messages`. */
export const quantity = (
  count: bigint | string | number,
  one: string,
  several = `${one}s`,
): string => `${formatCount(count)} ${Number(count) === 1 ? one : several}`
