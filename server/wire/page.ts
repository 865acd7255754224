// Pages of a list. Queries read one row more than the page holds, to find out whether another page follows.

/** A request for a page: at most `limit` records after a cursor. */
export interface PageRequest<Cursor> {
  after: Cursor
  limit: number
}

export interface Page<Row> {
  rows: Row[]
  hasMore: boolean
}

/** @param rows at most `limit` + 1 */
export const cutPage = <Row>(rows: Row[], limit: number): Page<Row> => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
})
