// What can happen on a day of the demo.
import type { EntryKind, ReviewOutcome } from '../store/schema.ts'

/** Something at a time of the day, `08:15` UTC. Records that later ones refer to have a `name`. */
export type Activity = { at: string; by?: string } & (
  | { directory: string }
  | { say: string; body: string; name?: string }
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
