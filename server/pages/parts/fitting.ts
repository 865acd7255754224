// Limits lists and texts to what fits on a page, so that a page stays light whatever people write.
import { utf8Bytes } from '../../wire/text.ts'
import type { Html } from './html.ts'
import { bodyText, bodyWithin } from './user-text.ts'

/** HTML of the records of a page [bytes]. Even if it hardly compresses, the page is at most 30 KB with all its parts. */
export const RECORDS_BYTES = 20_000
/** Limit for a record that shares its page with a list [bytes of HTML]: room for any plain text of 16 KiB. */
export const FIRST_RECORD_BYTES = 17_400
/** Limit for a record on its own page, which has neither forms nor a list [bytes of HTML]. */
export const ONLY_RECORD_BYTES = 31_000
/** The part of a record's text that is always shown, however large the rest of the record is [bytes]. */
const MIN_TEXT_BYTES = 3_000

export const sizeOf = (shown: Html | string): number => utf8Bytes(String(shown))

/**
 * Renders a record with as much of its text as fits.
 * @param bytes the limit for the record
 * @param record its body, and the URL of the whole text
 * @param render renders the record around its text
 */
export function fittingText(
  bytes: number,
  { body, url }: { body: string; url: string },
  render: (text: Html) => Html,
): Html {
  if (utf8Bytes(body) <= MIN_TEXT_BYTES) return render(bodyText(body))
  const left = bytes - sizeOf(render(bodyText('')))
  return render(bodyWithin(Math.max(left, MIN_TEXT_BYTES), body, url))
}

export interface Rendered<Item> {
  item: Item
  html: Html
}

/**
 * Renders as many of the first items as fit, at least one.
 * @param bytes the limit for their HTML
 */
export function fitting<Item>(
  bytes: number,
  items: readonly Item[],
  render: (item: Item) => Html,
): Rendered<Item>[] {
  const shown: Rendered<Item>[] = []
  let left = bytes
  for (const item of items) {
    const html = render(item)
    left -= sizeOf(html)
    if (left < 0 && shown.length > 0) break
    shown.push({ item, html })
  }
  return shown
}

export const htmlOf = ({ html }: Rendered<unknown>): Html => html
