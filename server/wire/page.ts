// Pages of a list. One row more than a page is read: where it exists, another page follows.

/** What a list is asked for: the records after a cursor, at most `limit`. */
export interface PageRequest<Cursor> {
  after: Cursor
  limit: number
}

export interface Page<Row> {
  rows: Row[]
  hasMore: boolean
}

/** @param rows up to `limit` + 1 of them */
export const cutPage = <Row>(rows: Row[], limit: number): Page<Row> => ({
  rows: rows.slice(0, limit),
  hasMore: rows.length > limit,
})
