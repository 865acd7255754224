// How much of a list one page shows: whatever people write, a page stays light.
import { utf8Bytes } from '../wire/text.ts'
import type { Html } from './html.ts'

/** For the records of a page, which with its frame, forms, style and script then weighs at most 60 KB [bytes]. */
const RECORDS_BYTES = 16_500

/**
 * The first items, as many as fit on a page; one at least.
 * @param more what else the page shows as large as they are
 */
export function fitting<Item>(
  items: readonly Item[],
  render: (item: Item) => Html,
  ...more: Html[]
): Item[] {
  const sizeOf = (shown: Html) => utf8Bytes(String(shown))
  let left = RECORDS_BYTES - more.reduce((sum, shown) => sum + sizeOf(shown), 0)
  const end = items.findIndex((item, i) => {
    left -= sizeOf(render(item))
    return left < 0 && i > 0
  })
  return items.slice(0, end === -1 ? items.length : end)
}
