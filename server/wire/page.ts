// Pages of a list. Queries read one row more than the page holds, to find out whether another page follows; long pages are
// read again in groups while they are sent.

/** A request for a page: at most `limit` records after a cursor. */
export interface PageRequest<Cursor> {
  after: Cursor
  limit: number
}

/** @param rows at most `limit` + 1 */
export const cutPage = <Row>(rows: Row[], limit: number) => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
})

/**
 * Splits items into consecutive groups: each ends with the item that makes it at least `size` large, and the last with
 * the last item.
 */
export function* groupsOf<Item>(
  items: readonly Item[],
  sizeOf: (item: Item) => number,
  size: number,
): Generator<Item[]> {
  let group: Item[] = []
  let total = 0
  for (const item of items) {
    group.push(item)
    total += sizeOf(item)
    if (total < size) continue
    yield group
    group = []
    total = 0
  }
  if (group.length > 0) yield group
}
