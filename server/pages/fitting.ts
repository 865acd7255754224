// How much of a list and of a text one page shows: whatever people write, a page stays light.
import { utf8Bytes } from '../wire/text.ts'
import type { Html } from './html.ts'
import { bodyText, bodyWithin } from './user-text.ts'

/** For the records of a page, which with its frame, forms, style and script then weighs at most 60 KB [bytes]. */
const RECORDS_BYTES = 16_500
/** For a record that shares its page with a list: room for any plain text of 16 KiB. */
export const FIRST_RECORD_BYTES = 17_500
/** For a record on a page of its own, which has neither forms nor a list. */
export const ONLY_RECORD_BYTES = 31_000
/** So much of a record's text is shown, however much else the record has. */
const TEXT_BYTES = 3_000

const sizeOf = (shown: Html): number => utf8Bytes(String(shown))

/**
 * A record with as much of its text as fits next to all else that it has.
 * @param bytes for the record
 * @param record its body, and where all of that is
 * @param render the record around its text
 */
export function fittingText(
  bytes: number,
  { body, url }: { body: string; url: string },
  render: (text: Html) => Html,
): Html {
  if (utf8Bytes(body) <= TEXT_BYTES) return render(bodyText(body))
  const left = bytes - sizeOf(render(bodyText('')))
  return render(bodyWithin(Math.max(left, TEXT_BYTES), body, url))
}

/**
 * The first items, as many as fit on a page; one at least.
 * @param more what else the page shows as large as they are
 */
export function fitting<Item>(
  items: readonly Item[],
  render: (item: Item) => Html,
  ...more: Html[]
): Item[] {
  let left = RECORDS_BYTES - more.reduce((sum, shown) => sum + sizeOf(shown), 0)
  const end = items.findIndex((item, i) => {
    left -= sizeOf(render(item))
    return left < 0 && i > 0
  })
  return items.slice(0, end === -1 ? items.length : end)
}
