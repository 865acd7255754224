// Writes pages of messages as JSON. One statement reads the records of a page, and one pass makes its bytes. A long page
// is not kept in memory: its records are read again while it is sent.
import { exactNumber, stringifyJson } from '../../archive/base/json.ts'
import type { Queryable } from '../database/database.ts'
import { etagOf } from '../http/answer.ts'
import type { LongText } from '../http/streamed.ts'
import { instant } from '../wire/instant.ts'
import { groupsOf, type PageRequest } from '../wire/page.ts'
import {
  type MessageOfPage,
  messagesAfter,
  messagesById,
  messageWithId,
  requireMessagesIn,
} from './queries.ts'
import { requirePath } from './rules.ts'

/** Raised when the JSON of a record changes, so that clients do not keep pages in the old form. */
const FORM = 1n
/** Pages whose texts are longer than this together are streamed [UTF-16 units]. */
const LONG_LENGTH = 128 * 1024
/** Texts that one query reads for a streamed page [bytes of JSON]; a query reads at least one record. */
const GROUP_BYTES = 32 * 1024

export interface MessagePage {
  body: Uint8Array | LongText
  /** Strong, quoted. */
  etag: string
}

/**
 * Reads a page of visible messages.
 * @param path of the directory; without it the page is of all messages
 * @throws Problem invalid_directory, directory_not_found
 */
export async function messagePage(
  db: Queryable,
  request: PageRequest<bigint>,
  path: string | undefined,
): Promise<MessagePage> {
  if (path) requirePath(path, 'directory')
  const rows = await messagesAfter(db, request, path)
  if (rows.length === 0 && path !== undefined) await requireMessagesIn(db, path)
  return pageWith(db, rows, { next: rows.at(-1)?.id ?? request.after })
}

interface PageEnd {
  next: bigint
  /** Where a search stopped [ms since 1970]; null if nothing stopped it, undefined for a page that is no search's. */
  searchedTo?: bigint | null
}

/** Returns a page of these messages. */
export function pageWith(db: Queryable, rows: readonly MessageOfPage[], end: PageEnd): MessagePage {
  const etag = etagOf(factsOf(rows, end))
  const length = rows.reduce((sum, { body }) => sum + body.length, 0)
  if (length > LONG_LENGTH) return { body: longPage(db, rows, end), etag }
  const body = Buffer.from(JSON.stringify({ messages: rows.map(recordOf), ...cursorsOf(end) }))
  return { body, etag }
}

/**
 * Identifies the bytes of a page without its texts, which never change: an operator action may hide a record, and a
 * restored database may give an id again, but not at the same time.
 */
function factsOf(rows: readonly MessageOfPage[], { next, searchedTo }: PageEnd): Uint8Array {
  const facts = new BigInt64Array(4 + 2 * rows.length)
  facts.set([FORM, next, rows[0]?.last_action ?? 0n, searchedTo ?? -1n])
  let at = 4
  for (const { id, publish_at } of rows) {
    facts[at++] = id
    facts[at++] = publish_at
  }
  return new Uint8Array(facts.buffer)
}

/** For JSON.stringify: stringifyJson calls a function for each property and takes half as long again. */
const recordOf = (row: MessageOfPage) => messageWithId(exactNumber(row.id), row)

const cursorsOf = ({ next, searchedTo }: PageEnd) => ({
  next_cursor: exactNumber(next),
  searched_to: typeof searchedTo === 'bigint' ? instant(searchedTo) : searchedTo,
})

const OPENING = '{"messages":['

function longPage(db: Queryable, rows: readonly MessageOfPage[], cursors: PageEnd): LongText {
  // What is kept until the page is sent.
  const listed = rows.map((row) => ({
    id: row.id,
    bytes: Buffer.byteLength(JSON.stringify(recordOf(row))),
  }))
  const end = `],${JSON.stringify(cursorsOf(cursors)).slice(1)}`
  const bytes = listed.reduce((sum, { bytes }) => sum + bytes, 0)
  const length = OPENING.length + bytes + listed.length - 1 + end.length
  return { length, chunks: () => chunksOf(db, listed, end) }
}

async function* chunksOf(
  db: Queryable,
  listed: readonly { id: bigint; bytes: number }[],
  end: string,
): AsyncGenerator<string> {
  let separator = OPENING
  for (const group of groupsOf(listed, ({ bytes }) => bytes, GROUP_BYTES)) {
    const ids = group.map(({ id }) => id)
    const records = await messagesById(db, ids)
    for (const { id, bytes } of group) {
      const json = stringifyJson(records.get(id))
      // An erased record no longer has the bytes that the ETag and Content-Length promise.
      if (Buffer.byteLength(json) !== bytes)
        throw new Error('a message changed while its page was being sent')
      yield separator + json
      separator = ','
    }
  }
  yield end
}
