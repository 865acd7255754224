// The data model of the demo's days.
import type { EntryKind, ReviewOutcome } from '../database/schema/schema.ts'

/** An activity at a time of day, such as `08:15` (UTC). A record that later ones refer to has a `name`. */
export type Activity = { at: string; by?: string } & (
  | { directory: string }
  | { say: string; body: string; name?: string; answers?: string }
  | { ask: string; title: string; body: string; sources?: Source[]; name: string }
  | {
      add: string
      kind: Exclude<EntryKind, 'question'>
      body: string
      sources?: Source[]
      links?: { to: string; relation: 'extends' | 'supports' | 'corrects' | 'reuses' }[]
      name?: string
    }
  | { review: string; outcome: ReviewOutcome; reason: string; note?: string }
  | { hide: string; reason: string }
)

interface Source {
  url: string
  note?: string
}

export interface DemoDay {
  activities: readonly Activity[]
  /** The server is down between these times. */
  outage?: { from: string; to: string }
}
