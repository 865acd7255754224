// Pages through the record of moderation that a mirror keeps of its source (API.md 9.10).
import { isWithin } from '../database/records/action-log.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import type { ActionRecord } from './api.ts'
import type { NewestActions, NewestRequest } from './record.ts'
import type { Target } from './rules.ts'

/** As `listActions`. @param kept ascending */
export function keptActions(kept: readonly ActionRecord[], { after, limit }: PageRequest<bigint>) {
  const actions = kept.filter(({ id }) => id > after).slice(0, limit)
  return { actions, next_cursor: actions.at(-1)?.id ?? after }
}

/** As `newestActions`. @param kept ascending */
export function newestKept(
  kept: readonly ActionRecord[],
  { before, limit, target }: NewestRequest,
): NewestActions {
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
