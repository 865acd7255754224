// Maps each feature to the counters that depend on it (FORMAT.md 4.2).
import type { CounterName } from '../protocol/index.ts'
import type { WritingFeature } from './coverage.ts'

/** The counters that are unavailable on a day during all of which the feature was disabled. */
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
