// Handles the endpoints of the record of moderation (API.md 8.4).
import type { Database } from '../database/database.ts'
import { answerJson, answerText } from '../http/answer.ts'
import { attach } from '../http/attach.ts'
import type { Route } from '../http/mount.ts'
import { one, readAfter, readBefore, readId, readLimit } from '../wire/query.ts'
import { type ActionRecord, MODERATION } from './api.ts'
import { keptActions, newestKept } from './kept.ts'
import { listActions, type NewestActions, newestActions } from './record.ts'

/** What the page of the record shows. */
export interface ModerationView extends NewestActions {
  /** The message that the actions concern; undefined for the whole record. */
  message: bigint | undefined
  /** Whether the page begins with the newest action. */
  isFirst: boolean
  /** How to reach the operator, as OPERATOR_CONTACT states it. */
  contact: string | undefined
}

/** Renders the HTML of /moderation; server/pages implements it. */
export interface ModerationPages {
  /** @param isClosed true while no message can be published */
  moderation(view: ModerationView, isClosed: boolean): string
}

interface ModerationDeps {
  database: Database
  /** The record that a mirror keeps of its source, ascending; null if this is not such a mirror. */
  keptRecord(): Promise<ActionRecord[] | null>
  modes: { isClosed(): Promise<boolean> }
  operatorContact: string | undefined
}

export function moderationRoutes(
  { database, keptRecord, modes, operatorContact: contact }: ModerationDeps,
  pages: ModerationPages,
): Route[] {
  return attach(MODERATION, {
    showModeration: async (call, { cache }) => {
      const text = one(call.query, 'message', 'invalid_request')
      const message = text === undefined ? undefined : readId(text, 'message')
      const before = readBefore(call.query)
      const limit = readLimit(call.query)
      const request = { before, limit, message }
      const kept = await keptRecord()
      const page = kept ? newestKept(kept, request) : await newestActions(database.db, request)
      const view = { ...page, message, isFirst: before === undefined, contact }
      return answerText(call, 'html', pages.moderation(view, await modes.isClosed()), cache)
    },
    listModeration: async (call, { cache }) => {
      const request = { after: readAfter(call.query), limit: readLimit(call.query) }
      const kept = await keptRecord()
      const page = kept ? keptActions(kept, request) : await listActions(database.db, request)
      return answerJson(call, page, cache)
    },
  })
}
