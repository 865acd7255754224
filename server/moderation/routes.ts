// Handles the endpoints of the record of moderation (API.md 8.4), in a mirror from the record that it keeps of its source (API.md
// 9.10).
import type { Database } from '../database/database.ts'
import { isWithin } from '../database/records/action-log.ts'
import { answerJson, answerText } from '../http/answer.ts'
import { attach, type Route } from '../http/mount.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import { Problem, RECORD_KINDS } from '../wire/problem.ts'
import { one, readAfter, readBefore, readLimit } from '../wire/query.ts'
import { type ActionRecord, MODERATION } from './api.ts'
import {
  listActions,
  type NewestActions,
  type NewestRequest,
  newestActions,
  type Readable,
  readableOf,
} from './record.ts'
import { parseTarget, type Target } from './rules.ts'

/** What the page of the record shows. */
export interface ModerationView extends NewestActions {
  /** Which of what the actions concern has a page now. */
  readable: Readable
  /** The record that the actions concern; undefined for all actions. */
  target: Target | undefined
  /** Whether the page begins with the newest action. */
  isFirst: boolean
  /** Whether it is that of the source of this mirror. */
  isKept: boolean
  /** How to reach the operator, as OPERATOR_CONTACT states it. */
  contact: string | undefined
  /** True while no message can be published. */
  isClosed: boolean
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
  render: (view: ModerationView) => string,
): Route[] {
  return attach(MODERATION, {
    showModeration: async (call, { cache }) => {
      const target = readTarget(call.query)
      const before = readBefore(call.query)
      const limit = readLimit(call.query)
      const request = { before, limit, target }
      const kept = await keptRecord()
      const page = kept ? newestKept(kept, request) : await newestActions(database.db, request)
      const readable = await readableOf(database.db, page.actions)
      const isClosed = await modes.isClosed()
      const [isFirst, isKept] = [before === undefined, kept !== null]
      const view = { ...page, readable, target, isFirst, isKept, contact, isClosed }
      return answerText(call, 'html', render(view), cache)
    },
    listModeration: async (call, { cache }) => {
      const request = { after: readAfter(call.query), limit: readLimit(call.query) }
      const kept = await keptRecord()
      const page = kept ? keptActions(kept, request) : await listActions(database.db, request)
      return answerJson(call, page, cache)
    },
  })
}

/** Reads the only filter of a request. @throws Problem invalid_request, invalid_directory */
function readTarget(query: URLSearchParams): Target | undefined {
  const [kind, ...others] = RECORD_KINDS.filter((name) => query.has(name))
  if (kind === undefined) return undefined
  if (others.length > 0)
    throw new Problem('invalid_request', `${kind}: must not be combined with ${others.join(', ')}`)
  return parseTarget(kind, one(query, kind, 'invalid_request') ?? '', kind)
}

/** As `listActions`. @param kept ascending */
function keptActions(kept: readonly ActionRecord[], { after, limit }: PageRequest<bigint>) {
  const actions = kept.filter(({ id }) => id > after).slice(0, limit)
  return { actions, next_cursor: actions.at(-1)?.id ?? after }
}

/** As `newestActions`. @param kept ascending */
function newestKept(kept: readonly ActionRecord[], { before, limit, target }: NewestRequest) {
  const found = kept.filter(
    (action) =>
      (before === undefined || action.id < before) &&
      (target === undefined || mayConcern(action, target)),
  )
  const { rows, hasMore } = cutPage(found.reverse(), limit)
  return { actions: rows, hasMore }
}

/** A mirror does not know where a hidden record belongs, nor which message is the question of an investigation. */
function mayConcern({ action, target_kind: kind, target, ranges }: ActionRecord, of: Target) {
  if (kind === 'directory' || of.kind === 'directory') return kind === 'directory'
  if (kind === of.kind) return target === of.id || isWithin(ranges ?? [], of.id)
  return kind === 'investigation' || (kind === 'message' && action !== 'review')
}
