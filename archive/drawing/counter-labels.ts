// The names of the counters for people, the same on pages, in feeds, pictures and films, and in the decoder.
import type { CounterName } from '../../protocol/index.ts'

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
  reuses: 'Uses',
  sources: 'Sources',
  reviews: 'Reviews',
}
