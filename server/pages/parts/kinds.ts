// What pages call the kinds of contributions and the relations between messages. The API's `reuse` is a use.
import type { EntryKind, Relation } from '../../database/schema/schema.ts'

export const kindName = (kind: EntryKind): string => (kind === 'reuse' ? 'use' : kind)

/** What a message does to the one that it refers to, what is done to that one, and how an author is asked to do it. */
export const RELATION_WORDS: Record<Relation, { does: string; undergoes: string; verb: string }> = {
  extends: { does: 'extends', undergoes: 'extended by', verb: 'extend' },
  supports: { does: 'supports', undergoes: 'supported by', verb: 'support' },
  corrects: { does: 'corrects', undergoes: 'corrected by', verb: 'correct' },
  reuses: { does: 'uses', undergoes: 'used by', verb: 'use' },
}
