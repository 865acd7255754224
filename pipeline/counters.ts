// Which counters of a day depend on which feature (FORMAT.md 4).
import type { CounterName } from '../protocol/index.ts'
import type { WritingFeature } from './coverage.ts'

/** The counters that mean nothing on a day through which a feature was disabled. */
export const COUNTERS_OF: Record<WritingFeature, readonly CounterName[]> = {
  messages: ['messages', 'message_bytes', 'active_directories'],
  directories: ['directories'],
  investigations: [
    'investigations',
    'observations',
    'attempts',
    'corrections',
    'results',
    'reuses',
    'sources',
    'reviews',
  ],
}
