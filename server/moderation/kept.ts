// Pages through the record of moderation that a mirror keeps of its source (API.md 9.10).
import { isWithin } from '../database/records/action-log.ts'
import { cutPage, type PageRequest } from '../wire/page.ts'
import type { ActionRecord } from './api.ts'
import type { NewestActions, NewestRequest } from './record.ts'

/** As `listActions`. @param kept ascending */
export function keptActions(kept: readonly ActionRecord[], { after, limit }: PageRequest<bigint>) {
  const actions = kept.filter(({ id }) => id > after).slice(0, limit)
  return { actions, next_cursor: actions.at(-1)?.id ?? after }
}

/** As `newestActions`. @param kept ascending */
export function newestKept(
  kept: readonly ActionRecord[],
  { before, limit, message }: NewestRequest,
): NewestActions {
  const found = kept.filter(
    (action) =>
      (before === undefined || action.id < before) &&
      (message === undefined || mayConcern(action, message)),
  )
  const { rows, hasMore } = cutPage(found.reverse(), limit)
  return { actions: rows, hasMore }
}

/** A mirror does not know where a hidden message belongs. */
const mayConcern = ({ target_kind: kind, target, ranges }: ActionRecord, message: bigint) =>
  kind === 'message'
    ? target === message || isWithin(ranges ?? [], message)
    : kind === 'investigation' || kind === 'directory'
